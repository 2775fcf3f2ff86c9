// Threads take turns. All of them wait on one condition variable for theirs, and who has had its turn signals one: it may
// be one whose turn it is not, which goes back to sleep, and the next one is never woken. With two threads there is
// nobody else to be woken.
// No preemption: it is the signal's choice.
// Fixed: broadcast.
#include "corpus/threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long turn;

static void* run(void* number) {
    pthread_mutex_lock(&mutex);
    while (turn != (long)number) pthread_cond_wait(&changed, &mutex);  // BUG
    turn += 1;
#ifdef FIXED
    pthread_cond_broadcast(&changed);
#else
    pthread_cond_signal(&changed);
#endif
    pthread_mutex_unlock(&mutex);
    return NULL;
}

// turn_taking [THREADS]
int main(int count, char** arguments) {
    run_threads(number_argument(count, arguments, 1, 3, 2, most_threads), run);
    return 0;
}
