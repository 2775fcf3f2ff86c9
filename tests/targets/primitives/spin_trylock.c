// A trylock whose failure nobody looks at.
#include <pthread.h>

static pthread_spinlock_t lock;

static void* hold(void* unused) {
    (void)unused;
    pthread_spin_lock(&lock);
    pthread_spin_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_t holder;
    pthread_create(&holder, NULL, hold, NULL);
    int error = pthread_spin_trylock(&lock);
#ifndef FIXED
    error = 0;
#endif
    if (error == 0) {
        pthread_spin_unlock(&lock);  // BUG
    }
    pthread_join(holder, NULL);
    return 0;
}
