// A thread that detaches itself because nobody said in time that it will be joined.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int wanted, detached;

static void* work(void* unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    if (!wanted) {
        pthread_detach(pthread_self());
        detached = 1;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    wanted = 1;
    int late = detached;
    pthread_mutex_unlock(&lock);
#ifndef FIXED
    late = 0;
#endif
    if (!late) {
        pthread_join(worker, NULL);  // BUG
    }
    return 0;
}
