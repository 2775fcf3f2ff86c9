// Readers and writers of two locks in two orders, saved by time limits; one result is not looked at.
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t left = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t right = PTHREAD_RWLOCK_INITIALIZER;

static struct timespec soon(clockid_t clock) {
    struct timespec limit;
    clock_gettime(clock, &limit);
    limit.tv_sec += 1;
    return limit;
}

static void* go_left(void* unused) {
    (void)unused;
    struct timespec limit = soon(CLOCK_MONOTONIC);
    if (pthread_rwlock_clockrdlock(&right, CLOCK_MONOTONIC, &limit) != 0) return NULL;
    if (pthread_rwlock_clockwrlock(&left, CLOCK_MONOTONIC, &limit) == 0) pthread_rwlock_unlock(&left);
    pthread_rwlock_unlock(&right);
    return NULL;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, go_left, NULL);
    struct timespec limit = soon(CLOCK_REALTIME);
    if (pthread_rwlock_timedrdlock(&left, &limit) == 0) {
        int error = pthread_rwlock_timedwrlock(&right, &limit);
#ifndef FIXED
        error = 0;
#endif
        if (error == 0) {
            pthread_rwlock_unlock(&right);  // BUG
        }
        pthread_rwlock_unlock(&left);
    }
    pthread_join(other, NULL);
    return 0;
}
