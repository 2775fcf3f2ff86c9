// Three threads meet at a barrier, run an initialization once and add under a spin lock.
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t inside = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static int initialized, serial, sum;

static void initialize(void) {
    pthread_mutex_lock(&inside);
    initialized += 1;
    pthread_mutex_unlock(&inside);
}

static void* work(void* number) {
    const int result = pthread_barrier_wait(&barrier);
    pthread_once(&once, initialize);
    pthread_spin_lock(&spin);
    serial += result == PTHREAD_BARRIER_SERIAL_THREAD;
    sum += initialized * (int)(long)number;
    pthread_spin_unlock(&spin);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    pthread_barrier_init(&barrier, NULL, 3);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    for (long i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, work, (void*)(i + 1));
    for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    pthread_spin_destroy(&spin);
    printf("once %d serial %d sum %d\n", initialized, serial, sum);
    return 0;
}
