// Cancels a thread in a condition wait (its cleanup handler unlocks) and one in a sleep.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int cleaned;

static void clean(void* unused) {
    (void)unused;
    cleaned += 1;
    pthread_mutex_unlock(&mutex);
}

static void* wait_forever(void* unused) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(clean, NULL);
    for (;;) pthread_cond_wait(&never, &mutex);
    pthread_cleanup_pop(1);
    return unused;
}

static void* sleep_forever(void* unused) {
    for (;;) sleep(1000);
    return unused;
}

int main(void) {
    pthread_t waiter, sleeper;
    void *first, *second;
    pthread_create(&waiter, NULL, wait_forever, NULL);
    pthread_create(&sleeper, NULL, sleep_forever, NULL);
    pthread_cancel(waiter);
    pthread_cancel(sleeper);
    pthread_join(waiter, &first);
    pthread_join(sleeper, &second);
    printf("%d %d %d\n", first == PTHREAD_CANCELED, second == PTHREAD_CANCELED, cleaned);
    return 0;
}
