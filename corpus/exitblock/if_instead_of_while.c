// ExitBlock, section 7: the condition is tested with if. Consumers wait for items; every item is announced to all of
// them, and one that is woken may find that another one was faster.
// One preemption: the producer, which is the main thread, before its first item, so that two consumers come to wait.
// Fixed: while.
#include <assert.h>

#include "corpus/threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items;
static int taken;
static int consumers;

static void* consume(void* unused) {
    pthread_mutex_lock(&mutex);
#ifdef FIXED
    while (items == 0) pthread_cond_wait(&changed, &mutex);
#else
    if (items == 0) pthread_cond_wait(&changed, &mutex);
#endif
    assert(items > 0);  // BUG
    items -= 1;
    taken += 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    return unused;
}

// Puts an item only when the one before is gone: a buffer of one.
static void produce(void) {
    for (int i = 0; i < consumers; ++i) {
        pthread_mutex_lock(&mutex);
        while (items > 0) pthread_cond_wait(&changed, &mutex);
        items += 1;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&mutex);
    }
}

// if_instead_of_while [CONSUMERS]
int main(int count, char** arguments) {
    consumers = number_argument(count, arguments, 1, 2, 2, most_threads);
    pthread_t threads[most_threads];
    start_threads(threads, consumers, consume);
    produce();
    join_threads(threads, consumers);
    assert(taken == consumers);
    return 0;
}
