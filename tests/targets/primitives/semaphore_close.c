// A named semaphore closed while another thread has still to post it.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t* event;

static void* post(void* unused) {
    (void)unused;
    sem_post(event);
    sem_post(event);  // BUG
    return NULL;
}

int main(void) {
    event = sem_open("/coopcheck-primitives-close", O_CREAT, 0600, 0);
    pthread_t poster;
    pthread_create(&poster, NULL, post, NULL);
    sem_wait(event);
#ifdef FIXED
    pthread_join(poster, NULL);
    sem_close(event);
#else
    sem_close(event);
    pthread_join(poster, NULL);
#endif
    sem_unlink("/coopcheck-primitives-close");
    sem_t unnamed;
    sem_init(&unnamed, 0, 0);
    assert(sem_close(&unnamed) == -1);
    return 0;
}
