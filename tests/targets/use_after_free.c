// One thread frees what the other uses: harmless or not, depending on the order. Built with AddressSanitizer.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int* value;

static void* release(void* unused) {
    pthread_mutex_lock(&mutex);
    free(value);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    value = malloc(sizeof *value);
    pthread_create(&thread, NULL, release, NULL);
    pthread_mutex_lock(&mutex);
    *value = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
