// if_instead_of_while with while.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void* consume(void* unused) {
    pthread_mutex_lock(&mutex);
    while (items == 0) pthread_cond_wait(&filled, &mutex);
    assert(items > 0);
    items -= 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void* produce(void* unused) {
    for (int i = 0; i < 2; ++i) {
        pthread_mutex_lock(&mutex);
        items += 1;
        pthread_cond_broadcast(&filled);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t first, second, producer;
    pthread_create(&first, NULL, consume, NULL);
    pthread_create(&second, NULL, consume, NULL);
    pthread_create(&producer, NULL, produce, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_join(producer, NULL);
    return 0;
}
