// A condition destroyed while somebody still waits on it.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int stop;

static void* await_stop(void* unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!stop) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, await_stop, NULL);
    pthread_create(&second, NULL, await_stop, NULL);
    pthread_mutex_lock(&lock);
    stop = 1;
    pthread_mutex_unlock(&lock);
#ifdef FIXED
    pthread_cond_broadcast(&changed);
#else
    pthread_cond_signal(&changed);
#endif
    pthread_cond_destroy(&changed);  // BUG
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
