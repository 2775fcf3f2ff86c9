// After an unlink the name means another semaphore: who opened it before waits on the old one.
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

static const char name[] = "/coopcheck-primitives-unlink";

static void* await(void* unused) {
    (void)unused;
    sem_t* event = sem_open(name, O_CREAT, 0600, 0);
    sem_wait(event);  // BUG
    sem_close(event);
    return NULL;
}

int main(void) {
    pthread_t waiter;
    pthread_create(&waiter, NULL, await, NULL);
#ifndef FIXED
    sem_unlink(name);  // what an earlier run may have left
#endif
    sem_t* event = sem_open(name, O_CREAT, 0600, 0);
    sem_post(event);
    pthread_join(waiter, NULL);
    sem_close(event);
    sem_unlink(name);
    return 0;
}
