// Unnamed and named semaphores: values, errno, a ping-pong between two threads.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t ping, pong;

static void show(int result) { printf("%d\n", result); }

static void* answer(void* unused) {
    for (int i = 0; i < 2; ++i) {
        sem_wait(&ping);
        sem_post(&pong);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    int value = -1;
    struct timespec soon;
    sem_init(&ping, 0, 0);
    sem_init(&pong, 0, 1);
    errno = 0;
    show(sem_trywait(&ping));
    show(errno == EAGAIN);
    show(sem_getvalue(&pong, &value));
    show(value);
    show(sem_wait(&pong));
    pthread_create(&thread, NULL, answer, NULL);
    for (int i = 0; i < 2; ++i) {
        sem_post(&ping);
        sem_wait(&pong);
    }
    pthread_join(thread, NULL);
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec = 0;
    errno = 0;
    show(sem_timedwait(&ping, &soon));
    show(errno == ETIMEDOUT);
    sem_t* named = sem_open("/coopcheck_test_semaphore", O_CREAT, 0600, 3);
    sem_wait(named);
    sem_getvalue(named, &value);
    show(value);
    show(sem_close(named));
    show(sem_unlink("/coopcheck_test_semaphore"));
    return sem_destroy(&ping) + sem_destroy(&pong);
}
