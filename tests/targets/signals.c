// Signals go to the thread they are sent to; masks and counters are each thread's own.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>

static __thread int hits;
static volatile int arrived;

static void count(int signal) {
    (void)signal;
    hits += 1;
    arrived = 1;
}

static void* wait_for_it(void* result) {
    while (!arrived) sched_yield();
    *(int*)result = hits;
    return NULL;
}

int main(void) {
    struct sigaction action = {.sa_handler = count};
    sigset_t set;
    pthread_t thread;
    int thread_hits = 0;
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, wait_for_it, &thread_hits);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    printf("thread %d main %d\n", thread_hits, hits);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    printf("blocked %d\n", hits);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    printf("unblocked %d\n", hits);
    return 0;
}
