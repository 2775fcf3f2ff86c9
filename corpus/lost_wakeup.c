// A wait that does not look whether what it waits for has already happened: the wake-up can be lost, and the
// waiter waits forever. See lost_wakeup_fixed.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void* wait_for_it(void* unused) {
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&changed, &mutex);  // ready is not looked at
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void* announce(void* unused) {
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t waiter, announcer;
    pthread_create(&waiter, NULL, wait_for_it, NULL);
    pthread_create(&announcer, NULL, announce, NULL);
    pthread_join(waiter, NULL);
    pthread_join(announcer, NULL);
    return 0;
}
