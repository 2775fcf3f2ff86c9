// A wait gives up one level of a recursive mutex; a second one stays held.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void await_ready(void) {
    pthread_mutex_lock(&lock);
    while (!ready) {
        pthread_cond_wait(&changed, &lock);  // BUG
    }
    pthread_mutex_unlock(&lock);
}

static void* consume(void* unused) {
    (void)unused;
#ifdef FIXED
    await_ready();
#else
    pthread_mutex_lock(&lock);
    await_ready();
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

int main(void) {
    pthread_t consumer;
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(consumer, NULL);
    return 0;
}
