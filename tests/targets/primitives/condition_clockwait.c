// A signal that nobody waits for yet is lost when there is no state to look at.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void* produce(void* unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
#ifdef FIXED
    ready = 1;
#endif
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    struct timespec limit;
    clock_gettime(CLOCK_MONOTONIC, &limit);
    limit.tv_sec += 1;
    int error = 0;
    pthread_mutex_lock(&lock);
    if (!ready) error = pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &limit);
    pthread_mutex_unlock(&lock);
    assert(error == 0);  // BUG
    pthread_join(producer, NULL);
    return 0;
}
