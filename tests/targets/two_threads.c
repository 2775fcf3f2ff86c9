// Two threads add to a counter under a mutex; main joins them and prints the sum.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static __thread int local;

static void* add(void* argument) {
    for (int i = 0; i < 3; ++i) {
        pthread_mutex_lock(&mutex);
        counter += (int)(long)argument;
        local += 1;
        pthread_mutex_unlock(&mutex);
    }
    return (void*)(long)(local + (long)argument);
}

int main(void) {
    pthread_t first, second;
    void *a, *b;
    pthread_create(&first, NULL, add, (void*)1);
    pthread_create(&second, NULL, add, (void*)10);
    pthread_join(first, &a);
    pthread_join(second, &b);
    printf("%d %ld %ld\n", counter, (long)a, (long)b);
    return 7;
}
