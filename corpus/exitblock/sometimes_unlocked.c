// ExitBlock, section 7: a locking discipline that is violated only in some schedules. The logger writes a total that
// everybody adds to under the lock; when it sees that all are done it believes that it needs no lock any more, but
// `done` is counted up before the last addition. Where the logger looks too early, it takes the lock, as everybody.
// One preemption: a worker between its two sections.
// Fixed: added first, then counted.
#include <assert.h>

#include "corpus/threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done;
static int total;
static int workers;

static void count_as_done(void) {
    pthread_mutex_lock(&mutex);
    done += 1;
    pthread_mutex_unlock(&mutex);
}

static void add(void) {
    pthread_mutex_lock(&mutex);
    total += 1;
    pthread_mutex_unlock(&mutex);
}

static void* work(void* unused) {
#ifdef FIXED
    add();
    count_as_done();
#else
    count_as_done();
    add();
#endif
    return unused;
}

static void* log_total(void* unused) {
    pthread_mutex_lock(&mutex);
    const int all_done = done == workers;
    const int seen = total;
    pthread_mutex_unlock(&mutex);
    if (all_done) {
        assert(total == workers);  // BUG
    } else {
        assert(seen <= workers);
    }
    return unused;
}

// sometimes_unlocked [THREADS]: one of them is the logger
int main(int count, char** arguments) {
    workers = number_argument(count, arguments, 1, 3, 2, most_threads) - 1;
    pthread_t threads[most_threads];
    pthread_t logger;
    start_threads(threads, workers, work);
    if (pthread_create(&logger, NULL, log_total, NULL) != 0) abort();
    join_threads(threads, workers);
    pthread_join(logger, NULL);
    return 0;
}
