// ExitBlock, section 7: notify instead of notifyAll, where one condition variable stands for two conditions. Producers
// wait for room, consumers for an item, in a buffer of one; a signal meant for a consumer can wake a producer, which
// goes back to sleep, and nobody is woken again.
// Fixed: broadcast.
#include "corpus/threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items;

static void tell(void) {
#ifdef FIXED
    pthread_cond_broadcast(&changed);
#else
    pthread_cond_signal(&changed);
#endif
}

static void produce(void) {
    pthread_mutex_lock(&mutex);
    while (items == 1) pthread_cond_wait(&changed, &mutex);
    items += 1;
    tell();
    pthread_mutex_unlock(&mutex);
}

static void consume(void) {
    pthread_mutex_lock(&mutex);
    while (items == 0) pthread_cond_wait(&changed, &mutex);  // BUG
    items -= 1;
    tell();
    pthread_mutex_unlock(&mutex);
}

static void* run(void* number) {
    if ((long)number % 2 == 0) {
        produce();
    } else {
        consume();
    }
    return number;
}

// notify_one [THREADS], an even number: half of them produce, half of them consume
int main(int count, char** arguments) {
    run_threads(number_argument(count, arguments, 1, 4, 4, most_threads), run);
    return 0;
}
