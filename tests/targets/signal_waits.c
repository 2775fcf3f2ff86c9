// Signals for threads that wait: in sigwait, in sigsuspend, for a lock, for a semaphore, asleep.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t never, handled;
static __thread int hits;

static void count(int signal) {
    (void)signal;
    hits += 1;
    sem_post(&handled);
}

static void* wait_for_signal(void* unused) {
    sigset_t set;
    int signal = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    printf("sigwait %d", sigwait(&set, &signal));
    printf(" %d\n", signal == SIGUSR1);
    return unused;
}

static void* wait_for_lock(void* unused) {
    sigset_t open;
    sigfillset(&open);
    sigdelset(&open, SIGUSR2);
    pthread_barrier_wait(&barrier);
    printf("lock %d", pthread_mutex_lock(&mutex));
    printf(" hits %d\n", hits);
    pthread_mutex_unlock(&mutex);
    pthread_barrier_wait(&barrier);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    pthread_barrier_wait(&barrier);
    printf("sigsuspend %d", sigsuspend(&open));
    printf(" %d hits %d\n", errno == EINTR, hits);
    return unused;
}

int main(void) {
    struct sigaction action = {.sa_handler = count};
    sigset_t blocked;
    pthread_t thread;
    sigaction(SIGUSR2, &action, NULL);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    sem_init(&never, 0, 0);
    sem_init(&handled, 0, 0);
    pthread_barrier_init(&barrier, NULL, 2);

    pthread_create(&thread, NULL, wait_for_signal, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, wait_for_signal, NULL);
    kill(getpid(), SIGUSR1);
    pthread_join(thread, NULL);

    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, wait_for_lock, NULL);
    pthread_barrier_wait(&barrier);
    pthread_kill(thread, SIGUSR2);
    sem_wait(&handled);  // the handler runs although the thread cannot have the lock
    pthread_mutex_unlock(&mutex);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    pthread_kill(thread, SIGUSR2);
    pthread_join(thread, NULL);

    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    raise(SIGPIPE);
    printf("ignored, main %d\n", hits);
    setuid(getuid());  // libc sends a signal to every thread and waits for all of them
    return 0;
}
