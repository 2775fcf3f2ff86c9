// A try whose failure nobody looks at.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void* look(void* unused) {
    (void)unused;
    if (pthread_rwlock_tryrdlock(&lock) == 0) pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t reader;
    pthread_create(&reader, NULL, look, NULL);
    int error = pthread_rwlock_trywrlock(&lock);
#ifndef FIXED
    error = 0;
#endif
    if (error == 0) {
        pthread_rwlock_unlock(&lock);  // BUG
    }
    pthread_join(reader, NULL);
    return 0;
}
