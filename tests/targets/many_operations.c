// Ten thousand operations: two threads with 2,500 sections each.
#include <pthread.h>
#include <stdio.h>

enum { sections = 2500 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void* work(void* unused) {
    for (int i = 0; i < sections; ++i) {
        pthread_mutex_lock(&mutex);
        ++sum;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    printf("%d\n", sum);
    return 0;
}
