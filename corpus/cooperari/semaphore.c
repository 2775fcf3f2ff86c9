// Cooperari, figures 2.1, 2.2 and 3.4: a semaphore made of a monitor, with the four wrong ways to go up.
//   a  nothing is synchronized: increments get lost
//   b  the increment is not synchronized, the test is
//   c  both are, one after the other
//   d  the test is not, what comes before and after is
// In b, c and d two threads can both go up before either looks whether the semaphore has just become 1: nobody signals,
// and a thread that waits waits for ever. As many threads as the semaphore lets in, and one more; with two threads
// nobody else can go up, and nothing is wrong.
// What they do while they are in is a sleep, so that who is in can be interrupted there without a preemption.
// One preemption: a thread on its way up; in a, b and d at an access without a lock.
// Fixed: one critical section.
#include <assert.h>
#include <unistd.h>

#include "corpus/threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t risen = PTHREAD_COND_INITIALIZER;
static volatile int value;  // volatile: every access in the source is one in the program
static char variant = 'd';

static void down(void) {
    pthread_mutex_lock(&mutex);
    while (value == 0) pthread_cond_wait(&risen, &mutex);  // BUG
    value = value - 1;
    pthread_mutex_unlock(&mutex);
}

static void signal_if_risen(void) {
    if (value == 1) pthread_cond_signal(&risen);
}

static void up(void) {
#ifdef FIXED
    pthread_mutex_lock(&mutex);
    value = value + 1;
    signal_if_risen();
    pthread_mutex_unlock(&mutex);
#else
    if (variant == 'c' || variant == 'd') pthread_mutex_lock(&mutex);
    value = value + 1;
    if (variant == 'c' || variant == 'd') pthread_mutex_unlock(&mutex);
    if (variant == 'd') {
        if (value == 1) {
            pthread_mutex_lock(&mutex);
            pthread_cond_signal(&risen);
            pthread_mutex_unlock(&mutex);
        }
        return;
    }
    if (variant != 'a') pthread_mutex_lock(&mutex);
    signal_if_risen();
    if (variant != 'a') pthread_mutex_unlock(&mutex);
#endif
}

static void* run(void* unused) {
    down();
    usleep(1);
    up();
    return unused;
}

// semaphore [THREADS [a|b|c|d]]
int main(int count, char** arguments) {
    const int threads = number_argument(count, arguments, 1, 3, 2, most_threads);
    if (count > 2) variant = arguments[2][0];
    value = threads - 1;
    run_threads(threads, run);
    assert(value == threads - 1);
    return 0;
}
