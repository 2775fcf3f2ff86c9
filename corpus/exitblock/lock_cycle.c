// ExitBlock, section 7: a cycle of so many locks, each thread nesting the next lock in its own. (Three of them are the
// dining philosophers; the smallest cycle is figure 8.) One preemption, whatever the length: the last thread between
// its locks; every other one, started in turn from the one before, runs into the lock of its neighbour.
// Fixed: the last thread takes its locks the other way round.
#include "corpus/threads.h"

static pthread_mutex_t locks[most_threads];
static int length;

static void* nest(void* number) {
    const int mine = (int)(long)number;
    const int next = (mine + 1) % length;
#ifdef FIXED
    const int first = mine < next ? mine : next;
#else
    const int first = mine;
#endif
    const int second = mine + next - first;
    pthread_mutex_lock(&locks[first]);
    pthread_mutex_lock(&locks[second]);  // BUG
    pthread_mutex_unlock(&locks[second]);
    pthread_mutex_unlock(&locks[first]);
    return NULL;
}

// lock_cycle [LENGTH]
int main(int count, char** arguments) {
    length = number_argument(count, arguments, 1, 3, 2, most_threads);
    for (int i = 0; i < length; ++i) pthread_mutex_init(&locks[i], NULL);
    run_threads(length, nest);
    return 0;
}
