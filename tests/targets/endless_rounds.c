/* Two threads that take turns at a lock and never end. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long rounds;

static void* go_round(void* argument) {
    for (;;) {
        pthread_mutex_lock(&mutex);
        rounds += 1;
        pthread_mutex_unlock(&mutex);
    }
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, go_round, NULL);
    go_round(NULL);
    return 0;
}
