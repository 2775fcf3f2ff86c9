// Cooperari, table 5.1: Wrong Lock. Everybody locks before incrementing, but half of the threads lock another lock.
// A data race and nothing else: what is between reading and writing is no visible operation.
// One preemption: a thread between reading and writing.
// Fixed: one lock.
#include <assert.h>

#include "corpus/threads.h"

static pthread_mutex_t right_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int value;  // volatile: every access in the source is one in the program

static void increment(pthread_mutex_t* mutex) {
    pthread_mutex_lock(mutex);
    const int seen = value;
    value = seen + 1;
    pthread_mutex_unlock(mutex);
}

static void* run(void* number) {
#ifdef FIXED
    increment(&right_lock);
#else
    increment((long)number % 2 == 0 ? &right_lock : &other_lock);
#endif
    return number;
}

// wrong_lock [THREADS]
int main(int count, char** arguments) {
    const int threads = number_argument(count, arguments, 1, 2, 2, most_threads);
    (void)other_lock;
    run_threads(threads, run);
    assert(value == threads);  // BUG
    return 0;
}
