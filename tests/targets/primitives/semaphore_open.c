// Both threads find no semaphore of that name; only one of them can be the one that makes it.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

static const char name[] = "/coopcheck-primitives-open";

static void* visit(void* unused) {
    (void)unused;
#ifdef FIXED
    sem_t* room = sem_open(name, O_CREAT, 0600, 1);
#else
    sem_t* room = sem_open(name, 0);
    if (room == SEM_FAILED) room = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
#endif
    assert(room != SEM_FAILED);  // BUG
    sem_wait(room);
    sem_post(room);
    sem_close(room);
    return NULL;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, visit, NULL);
    visit(NULL);
    pthread_join(other, NULL);
    assert(sem_unlink(name) == 0);
    assert(sem_unlink(name) == -1);
    return 0;
}
