// A thread that stops before the barrier leaves the other one waiting there.
#include <pthread.h>

static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stop;

static int stopped(void) {
    pthread_mutex_lock(&lock);
    int result = stop;
    pthread_mutex_unlock(&lock);
    return result;
}

static void* work(void* unused) {
    (void)unused;
#ifndef FIXED
    if (stopped()) return NULL;
#endif
    pthread_barrier_wait(&barrier);  // BUG
    stopped();
    return NULL;
}

int main(void) {
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_t first, second;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    stop = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
