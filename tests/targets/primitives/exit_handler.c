// A handler of exit() waits for a lock whose holder waits for the handler.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t ending;

static void at_end(void) {
#ifdef FIXED
    sem_post(&ending);
#endif
    pthread_mutex_lock(&lock);  // BUG
#ifndef FIXED
    sem_post(&ending);
#endif
    pthread_mutex_unlock(&lock);
}

static void* work(void* unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    sem_wait(&ending);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    sem_init(&ending, 0, 0);
    atexit(at_end);
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_detach(worker);
    return 0;
}
