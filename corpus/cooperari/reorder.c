// Cooperari, table 5.1: Reorder. Setters write two variables, checkers look whether they fit together; nothing orders
// them. (corpus/reorder has the same with a lock around each variable.)
// A data race and nothing else. One preemption: a setter between its two writes.
// Fixed: a lock around both.
#include <assert.h>

#include "corpus/threads.h"

static volatile int a;  // volatile: every access in the source is one in the program
static volatile int b;
#ifdef FIXED
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#endif

static void set(void) {
#ifdef FIXED
    pthread_mutex_lock(&mutex);
#endif
    a = 1;
    b = -1;
#ifdef FIXED
    pthread_mutex_unlock(&mutex);
#endif
}

static void check(void) {
#ifdef FIXED
    pthread_mutex_lock(&mutex);
#endif
    const int first = a;
    const int second = b;
#ifdef FIXED
    pthread_mutex_unlock(&mutex);
#endif
    assert(first + second == 0);  // BUG
}

static void* run(void* number) {
    if ((long)number % 2 == 0) {
        set();
    } else {
        check();
    }
    return NULL;
}

// reorder [THREADS]
int main(int count, char** arguments) {
    run_threads(number_argument(count, arguments, 1, 2, 2, most_threads), run);
    return 0;
}
