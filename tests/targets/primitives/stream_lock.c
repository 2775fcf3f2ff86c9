// The lock of a stream and another one, in two orders.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* report(void* unused) {
    (void)unused;
    flockfile(stderr);
    pthread_mutex_lock(&lock);  // BUG
    pthread_mutex_unlock(&lock);
    funlockfile(stderr);
    return NULL;
}

int main(void) {
    pthread_t reporter;
    pthread_create(&reporter, NULL, report, NULL);
#ifdef FIXED
    flockfile(stderr);
    pthread_mutex_lock(&lock);
#else
    pthread_mutex_lock(&lock);
    flockfile(stderr);
#endif
    funlockfile(stderr);
    pthread_mutex_unlock(&lock);
    pthread_join(reporter, NULL);
    return 0;
}
