// Readers that overlap keep a writer out of a lock that lets readers in first: one of them still reads when the next one
// comes. The writer tries twice, lets the others go in between, and gives up.
// No preemption: readers let others run while they read.
// Fixed: a turnstile. Whoever wants in goes through it, a writer keeps it while it waits.
#include <assert.h>
#include <sched.h>

#include "corpus/threads.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#ifdef FIXED
static pthread_mutex_t turnstile = PTHREAD_MUTEX_INITIALIZER;
#endif
static int written;

static void* read_some(void* unused) {
#ifdef FIXED
    pthread_mutex_lock(&turnstile);
    pthread_mutex_unlock(&turnstile);
#endif
    pthread_rwlock_rdlock(&lock);
    sched_yield();
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void* write_once(void* unused) {
#ifdef FIXED
    pthread_mutex_lock(&turnstile);
    pthread_rwlock_wrlock(&lock);
    pthread_mutex_unlock(&turnstile);
#else
    int tries = 1;
    while (pthread_rwlock_trywrlock(&lock) != 0) {
        assert(tries < 2);  // BUG
        tries += 1;
        sched_yield();
    }
#endif
    written += 1;
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void* run(void* number) { return number == NULL ? write_once(number) : read_some(number); }

// reader_writer_starvation [THREADS]: the first one writes
int main(int count, char** arguments) {
    run_threads(number_argument(count, arguments, 1, 3, 2, most_threads), run);
    assert(written == 1);
    return 0;
}
