// ExitBlock, figure 1 (SplitSync), with any number of threads. Every access is under the lock, but the increment is
// split over two critical sections, as when two modules each lock correctly and nobody locks around both.
// One preemption, between the sections.
// Fixed: one section.
#include <assert.h>

#include "corpus/threads.h"

static pthread_mutex_t resource = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void* run(void* unused) {
    pthread_mutex_lock(&resource);
    const int y = x;
#ifndef FIXED
    pthread_mutex_unlock(&resource);
    pthread_mutex_lock(&resource);
#endif
    assert(x == y);  // BUG
    x = y + 1;
    pthread_mutex_unlock(&resource);
    return unused;
}

// split_sync [THREADS]
int main(int count, char** arguments) {
    const int threads = number_argument(count, arguments, 1, 2, 2, most_threads);
    run_threads(threads, run);
    assert(x == threads);
    return 0;
}
