// A time limit runs out when somebody else has taken the thing.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t things;

static void* take(void* unused) {
    (void)unused;
    struct timespec limit;
    clock_gettime(CLOCK_MONOTONIC, &limit);
    limit.tv_sec += 1;
    sem_clockwait(&things, CLOCK_MONOTONIC, &limit);
    return NULL;
}

int main(void) {
    sem_init(&things, 0, 1);
    pthread_t other;
    pthread_create(&other, NULL, take, NULL);
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 1;
    int result = sem_timedwait(&things, &limit);
#ifdef FIXED
    if (result == -1 && errno == ETIMEDOUT) result = 0;
#endif
    assert(result == 0);  // BUG
    pthread_join(other, NULL);
    return 0;
}
