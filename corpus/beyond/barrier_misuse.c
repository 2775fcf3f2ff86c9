// Threads work in rounds with a barrier between them and stop when there is no work left. Whether it is left is looked at
// after the work was taken, in a section of its own: a thread that looks before another one finds out goes into a
// round that the other does not come to.
// No preemption: each thread looks before the next one has run.
// Fixed: a barrier before the look.
#include "corpus/threads.h"

static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int work = 1;
static int is_done;

static void take_work(void) {
    pthread_mutex_lock(&mutex);
    if (work == 0) is_done = 1;
    if (work > 0) work -= 1;
    pthread_mutex_unlock(&mutex);
}

static int look(void) {
    pthread_mutex_lock(&mutex);
    const int result = is_done;
    pthread_mutex_unlock(&mutex);
    return result;
}

static void* run(void* unused) {
    for (int done = 0; !done;) {
        pthread_barrier_wait(&barrier);  // BUG
        take_work();
#ifdef FIXED
        pthread_barrier_wait(&barrier);
#endif
        done = look();
    }
    return unused;
}

// barrier_misuse [THREADS]
int main(int count, char** arguments) {
    const int threads = number_argument(count, arguments, 1, 2, 2, most_threads);
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    run_threads(threads, run);
    return 0;
}
