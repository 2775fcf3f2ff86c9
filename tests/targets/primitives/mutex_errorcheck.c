// An error-checking mutex tells a thread that it has the lock already; only when there is something to drain.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static int queued;

static void drain(void) {
    int error = pthread_mutex_lock(&lock);
    assert(error == 0);  // BUG
    pthread_mutex_unlock(&lock);
}

static void* work(void* unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&queue_lock);
    int some = queued;
    pthread_mutex_unlock(&queue_lock);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
    if (some) drain();
#else
    if (some) drain();
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_mutex_lock(&queue_lock);
    queued = 1;
    pthread_mutex_unlock(&queue_lock);
    pthread_join(worker, NULL);
    return 0;
}
