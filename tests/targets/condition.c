// A producer and two consumers around a condition variable; a timed wait that times out.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items, taken;

static void* consume(void* unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
    while (items == 0) pthread_cond_wait(&filled, &mutex);
    items -= 1;
    taken += 1;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void) {
    pthread_t consumers[2];
    struct timespec soon;
    for (int i = 0; i < 2; ++i) pthread_create(&consumers[i], NULL, consume, NULL);
    pthread_mutex_lock(&mutex);
    items += 1;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    items += 1;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 2; ++i) pthread_join(consumers[i], NULL);

    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec = 0;
    pthread_mutex_lock(&mutex);
    const int result = pthread_cond_timedwait(&filled, &mutex, &soon);
    pthread_mutex_unlock(&mutex);
    printf("taken %d left %d timeout %d destroy %d\n", taken, items, result == ETIMEDOUT,
           pthread_cond_destroy(&filled));
    return 0;
}
