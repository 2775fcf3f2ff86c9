// A join with a time limit, made while holding what the thread needs to come to its end.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 1;
    pthread_mutex_lock(&lock);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    int one = pthread_timedjoin_np(first, NULL, &limit);
    int other = pthread_clockjoin_np(second, NULL, CLOCK_REALTIME, &limit);
    assert(one == 0 && other == 0);  // BUG
#ifndef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return 0;
}
