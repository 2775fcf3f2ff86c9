// A thread cancelled between taking a permit and giving it back.
#include <pthread.h>
#include <semaphore.h>

static sem_t permit, never;

#ifdef FIXED
static void give_back(void* semaphore) { sem_post(semaphore); }
#endif

static void* work(void* unused) {
    (void)unused;
    sem_wait(&permit);
#ifdef FIXED
    pthread_cleanup_push(give_back, &permit);
    sem_wait(&never);
    pthread_cleanup_pop(1);
#else
    sem_wait(&never);
    sem_post(&permit);
#endif
    return NULL;
}

int main(void) {
    sem_init(&permit, 0, 1);
    sem_init(&never, 0, 0);
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_cancel(worker);
    sem_wait(&permit);  // BUG
    sem_post(&permit);
    pthread_join(worker, NULL);
    return 0;
}
