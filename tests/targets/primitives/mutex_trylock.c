// A trylock whose failure nobody looks at.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* hold(void* unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t holder;
    pthread_create(&holder, NULL, hold, NULL);
    int error = pthread_mutex_trylock(&lock);
#ifndef FIXED
    error = 0;
#endif
    if (error == 0) {
        pthread_mutex_unlock(&lock);  // BUG
    }
    pthread_join(holder, NULL);
    return 0;
}
