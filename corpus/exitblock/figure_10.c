// ExitBlock, figure 10: a deadlock that ExitBlock with read-write pruning by data does not see (figure 11), because none
// of the regions touch anything in common; with the locks in the footprints it is seen.
// One preemption: a thread between its nested locks.
// Fixed: thread 2 does not nest.
#include "corpus/threads.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void* thread_1(void* unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void* thread_2(void* unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&b);
#ifdef FIXED
    pthread_mutex_unlock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
#else
    pthread_mutex_lock(&a);  // BUG
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
#endif
    return unused;
}

static void* run(void* number) { return number == NULL ? thread_1(number) : thread_2(number); }

int main(void) {
    run_threads(2, run);
    return 0;
}
