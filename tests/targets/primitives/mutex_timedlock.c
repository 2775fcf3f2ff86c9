// Two locks in two orders, saved by a time limit whose result one thread does not look at.
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;

static void* go_left(void* unused) {
    (void)unused;
    struct timespec limit;
    clock_gettime(CLOCK_MONOTONIC, &limit);
    limit.tv_sec += 1;
    pthread_mutex_lock(&right);
    if (pthread_mutex_clocklock(&left, CLOCK_MONOTONIC, &limit) == 0) {
        pthread_mutex_unlock(&left);
    }
    pthread_mutex_unlock(&right);
    return NULL;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, go_left, NULL);
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 1;
    pthread_mutex_lock(&left);
    int error = pthread_mutex_timedlock(&right, &limit);
#ifndef FIXED
    error = 0;
#endif
    if (error == 0) {
        pthread_mutex_unlock(&right);  // BUG
    }
    pthread_mutex_unlock(&left);
    pthread_join(other, NULL);
    return 0;
}
