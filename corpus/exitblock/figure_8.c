// ExitBlock, figure 8: two threads that nest two locks in opposite orders. One preemption: thread 1 between its locks;
// thread 2 then runs into the lock that thread 1 holds.
// Fixed: the same order.
#include "corpus/threads.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void nest(pthread_mutex_t* outer, pthread_mutex_t* inner) {
    pthread_mutex_lock(outer);
    pthread_mutex_lock(inner);  // BUG
    pthread_mutex_unlock(inner);
    pthread_mutex_unlock(outer);
}

static void* run(void* number) {
#ifdef FIXED
    nest(&a, &b);
#else
    if (number == NULL) {
        nest(&a, &b);
    } else {
        nest(&b, &a);
    }
#endif
    return number;
}

int main(void) {
    run_threads(2, run);
    return 0;
}
