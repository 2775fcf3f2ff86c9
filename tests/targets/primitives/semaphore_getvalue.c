// A look at a semaphore's value says nothing about the wait that follows.
#include <pthread.h>
#include <semaphore.h>

static sem_t things;

static void* take(void* unused) {
    (void)unused;
    int value = 0;
    sem_getvalue(&things, &value);
#ifdef FIXED
    if (value > 0) sem_trywait(&things);
#else
    if (value > 0) {
        sem_wait(&things);  // BUG
    }
#endif
    return NULL;
}

int main(void) {
    sem_init(&things, 0, 1);
    pthread_t other;
    pthread_create(&other, NULL, take, NULL);
    take(NULL);
    pthread_join(other, NULL);
    return 0;
}
