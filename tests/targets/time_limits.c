// Two threads wait with time limits, the first one with the longer one.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t never;

static void* wait_for(void* seconds) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += (long)seconds;
    sem_timedwait(&never, &limit);
    printf("waited %ld\n", (long)seconds);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    const long seconds[3] = {50, 10, 30};
    sem_init(&never, 0, 0);
    for (int nth = 0; nth < 3; ++nth) pthread_create(&threads[nth], NULL, wait_for, (void*)seconds[nth]);
    for (int nth = 0; nth < 3; ++nth) pthread_join(threads[nth], NULL);
    return 0;
}
