// Threads before and after the region that is to be explored.
#include <pthread.h>
#include <stdio.h>

#include "tracer/coopcheck.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void* add(void* number) {
    pthread_mutex_lock(&mutex);
    sum = sum * 2 + (int)(long)number;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void two_threads(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, add, (void*)1);
    pthread_create(&second, NULL, add, (void*)2);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}

int main(void) {
    two_threads();
    printf("before %d\n", sum);
    sum = 0;
    coopcheck_region_begin();
    two_threads();
    coopcheck_region_end();
    printf("inside %d\n", sum);
    sum = 0;
    two_threads();
    printf("after %d\n", sum);
    return 0;
}
