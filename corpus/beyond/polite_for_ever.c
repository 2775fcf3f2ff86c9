// Two threads that take two locks in opposite orders and are polite: who does not get the second gives the first one back,
// lets the other go first, and tries again. If both always find the other one's lock taken this goes on for ever: a
// livelock. (polite_locks gives up instead.)
// One preemption: a thread between its two locks; from then on each of them lets the other go first.
// Fixed: the same order, and no politeness.
#include <sched.h>

#include "corpus/threads.h"

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void take_both(int first, int second) {
#ifdef FIXED
    (void)first, (void)second;
    pthread_mutex_lock(&locks[0]);
    pthread_mutex_lock(&locks[1]);
#else
    pthread_mutex_lock(&locks[first]);
    while (pthread_mutex_trylock(&locks[second]) != 0) {
        pthread_mutex_unlock(&locks[first]);
        sched_yield();  // BUG
        pthread_mutex_lock(&locks[first]);
    }
#endif
}

static void* run(void* number) {
    const int first = (int)((long)number % 2);
    take_both(first, 1 - first);
    pthread_mutex_unlock(&locks[1]);
    pthread_mutex_unlock(&locks[0]);
    return NULL;
}

// polite_for_ever [THREADS]
int main(int count, char** arguments) {
    run_threads(number_argument(count, arguments, 1, 2, 2, most_threads), run);
    return 0;
}
