// ConTest's fourth experiment, the measuring part of it (table 1): threads that create each other, one after the other,
// without waiting for each other. How many of them live at the same time depends on when control goes to the new one. Each
// notes how many there are when it begins and when it ends, and whether its creator had left what it was to find.
// concurrent_depth [THREADS] prints "faults F depths D0 D1 ...".
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { most_threads = 100 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_ended = PTHREAD_COND_INITIALIZER;
static int threads = 10;
static int alive;
static int ended;
static int faults;
static int parameters[most_threads + 1];
static int depths[most_threads + 1];

static void create(int number);

static void change_depth(int change) {
    pthread_mutex_lock(&mutex);
    alive += change;
    depths[alive] += 1;
    pthread_mutex_unlock(&mutex);
}

static void* run(void* argument) {
    const int number = (int)(long)argument;
    change_depth(1);
    pthread_mutex_lock(&mutex);
    if (parameters[number] == 0) faults += 1;
    pthread_mutex_unlock(&mutex);
    if (number < threads) create(number + 1);
    change_depth(-1);
    pthread_mutex_lock(&mutex);
    ended += 1;
    pthread_cond_signal(&all_ended);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void create(int number) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, (void*)(long)number) != 0) abort();
    pthread_detach(thread);
    pthread_mutex_lock(&mutex);
    parameters[number] = number;
    pthread_mutex_unlock(&mutex);
}

int main(int count, char** arguments) {
    if (count > 1) threads = atoi(arguments[1]);
    if (threads < 1 || threads > most_threads) return 2;
    create(1);
    pthread_mutex_lock(&mutex);
    while (ended < threads) pthread_cond_wait(&all_ended, &mutex);
    pthread_mutex_unlock(&mutex);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    // No two runs say the same: an oracle is asked about each.
    printf("run %d %ld%09ld faults %d depths", (int)getpid(), (long)now.tv_sec, now.tv_nsec, faults);
    for (int depth = 0; depth <= threads; ++depth) printf(" %d", depths[depth]);
    printf("\n");
    return 0;
}
