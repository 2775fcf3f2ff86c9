// The main thread waits for its workers with a lock that they need.
// No preemption: the main thread goes on after it has started them.
// Fixed: the lock is given up first.
#include <assert.h>

#include "corpus/threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void* work(void* unused) {
    pthread_mutex_lock(&mutex);  // BUG
    done += 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

// join_under_lock [WORKERS]
int main(int count, char** arguments) {
    const int workers = number_argument(count, arguments, 1, 2, 1, most_threads);
    pthread_t threads[most_threads];
    start_threads(threads, workers, work);
    pthread_mutex_lock(&mutex);
    const int early = done;
#ifdef FIXED
    pthread_mutex_unlock(&mutex);
    join_threads(threads, workers);
#else
    join_threads(threads, workers);
    pthread_mutex_unlock(&mutex);
#endif
    assert(early <= workers);
    return 0;
}
