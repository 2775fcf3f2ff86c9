// A thread that is still busy has no result yet.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int result;

static void* work(void* unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    result = 42;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    int error = pthread_tryjoin_np(worker, NULL);
#ifdef FIXED
    if (error != 0) pthread_join(worker, NULL);
#else
    (void)error;
#endif
    pthread_mutex_lock(&lock);
    int seen = result;
    pthread_mutex_unlock(&lock);
    assert(seen == 42);  // BUG
    return 0;
}
