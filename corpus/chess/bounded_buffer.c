// CHESS: a bounded buffer with bugs of different depths. The main thread puts an item, consumers take.
//   0  consumers take until the end, and there is one end marker for all consumers: whoever takes it ends, the others wait for ever. No preemption.
//   1  "is there something" and "take it" are two critical sections. One preemption, of a consumer between them.
//   2  a consumer marks its place before it takes from it, and gives up on finding another's mark; one that marks after
//      the first has looked, and stops there, makes the first take an item that is not its own. Two preemptions, one of
//      each.
// Fixed: markers for everybody, one critical section.
#include <assert.h>

#include "corpus/threads.h"

enum { capacity = 8, end_marker = -1 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int buffer[capacity];
static int first;
static int filled;
static int marked_by = -1;
static int consumers;
static int bug;

static void put(int item) {
    pthread_mutex_lock(&mutex);
    while (filled == capacity) pthread_cond_wait(&changed, &mutex);
    buffer[(first + filled) % capacity] = item;
    filled += 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

// To be called with the mutex.
static int take_first(void) {
    assert(filled > 0);  // BUG 1
    const int item = buffer[first];
    first = (first + 1) % capacity;
    filled -= 1;
    pthread_cond_broadcast(&changed);
    return item;
}

static int take(void) {
    pthread_mutex_lock(&mutex);
    while (filled == 0) pthread_cond_wait(&changed, &mutex);  // BUG 0
    const int item = take_first();
    pthread_mutex_unlock(&mutex);
    return item;
}

static void take_if_there_is_one(void) {
    pthread_mutex_lock(&mutex);
    const int is_there = filled > 0;
#ifndef FIXED
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
#endif
    if (is_there) take_first();
    pthread_mutex_unlock(&mutex);
}

// Marks the place, takes, and removes the mark.
static void take_marked(int me) {
    pthread_mutex_lock(&mutex);
    const int is_free = marked_by < 0;
    pthread_mutex_unlock(&mutex);
    if (!is_free) return;
    pthread_mutex_lock(&mutex);
#ifdef FIXED
    if (marked_by >= 0) {
        pthread_mutex_unlock(&mutex);
        return;
    }
#endif
    marked_by = me;
    pthread_mutex_unlock(&mutex);

    pthread_mutex_lock(&mutex);
    assert(marked_by == me);  // BUG 2
    if (filled > 0) take_first();
    marked_by = -1;
    pthread_mutex_unlock(&mutex);
}

static void* consume(void* number) {
    if (bug == 2) {
        take_marked((int)(long)number);
    } else if (bug == 1) {
        take_if_there_is_one();
    } else {
        while (take() != end_marker) continue;
    }
    return NULL;
}

// bounded_buffer BUG [CONSUMERS]
int main(int count, char** arguments) {
    bug = number_argument(count, arguments, 1, 0, 0, 2);
    consumers = number_argument(count, arguments, 2, 2, 2, capacity);
    pthread_t threads[most_threads];
    put(7);
    start_threads(threads, consumers, consume);
#ifdef FIXED
    const int markers = consumers;
#else
    const int markers = 1;
#endif
    for (int i = 0; bug == 0 && i < markers; ++i) put(end_marker);
    join_threads(threads, consumers);
    return 0;
}
