// The destructor of thread-specific data takes two locks in its own order.
#include <pthread.h>

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t entry = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;

static void forget(void* unused) {
    (void)unused;
#ifdef FIXED
    pthread_mutex_lock(&table);
    pthread_mutex_lock(&entry);
#else
    pthread_mutex_lock(&entry);
    pthread_mutex_lock(&table);  // BUG
#endif
    pthread_mutex_unlock(&entry);
    pthread_mutex_unlock(&table);
}

static void* work(void* argument) {
    pthread_setspecific(key, argument);
    return NULL;
}

int main(void) {
    pthread_key_create(&key, forget);
    pthread_t worker;
    pthread_create(&worker, NULL, work, &key);
    pthread_mutex_lock(&table);
    pthread_mutex_lock(&entry);
    pthread_mutex_unlock(&entry);
    pthread_mutex_unlock(&table);
    pthread_join(worker, NULL);
    return 0;
}
