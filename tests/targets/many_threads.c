// 64 threads at once, each with some work under one lock.
#include <pthread.h>
#include <stdio.h>

enum { count = 64 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static double sum;

static void* work(void* number) {
    double mine = (double)(long)number;
    for (int i = 0; i < 3; ++i) {
        pthread_mutex_lock(&mutex);
        sum += mine;
        pthread_mutex_unlock(&mutex);
    }
    return number;
}

int main(void) {
    pthread_t threads[count];
    for (long i = 0; i < count; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
    for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
    printf("%.1f\n", sum);
    return 0;
}
