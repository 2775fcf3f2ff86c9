// Whoever comes last may join the worker; the flag is set too late.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t worker;
static int joined;

static void* work(void* unused) {
    (void)unused;
    return NULL;
}

static void* join_once(void* unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    int mine = !joined;
#ifdef FIXED
    joined = 1;
#endif
    pthread_mutex_unlock(&lock);
    if (mine) {
        pthread_join(worker, NULL);  // BUG
        pthread_mutex_lock(&lock);
        joined = 1;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void) {
    pthread_t other;
    pthread_create(&worker, NULL, work, NULL);
    pthread_create(&other, NULL, join_once, NULL);
    join_once(NULL);
    pthread_join(other, NULL);
    return 0;
}
