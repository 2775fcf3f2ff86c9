// A timed wait that returns is taken for the event.
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void* produce(void* unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 1;
    pthread_mutex_lock(&lock);
    int error = 0;
    if (!ready) error = pthread_cond_timedwait(&changed, &lock, &limit);
#ifndef FIXED
    error = 0;
#endif
    assert(error != 0 || ready);  // BUG
    pthread_mutex_unlock(&lock);
    pthread_join(producer, NULL);
    return 0;
}
