// ConTest, first experiment: three threads look at a flag; who finds it set clears it and prints "race". It is to be
// printed once.
// A data race and nothing else. One preemption: between looking and clearing.
// Fixed: a lock around both.
#include <assert.h>

#include "corpus/threads.h"

static volatile int first = 1;  // volatile: every access in the source is one in the program
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int printed;

static void print_race(void) {
    pthread_mutex_lock(&mutex);
    printed += 1;
    assert(printed == 1);  // BUG
    puts("race");
    pthread_mutex_unlock(&mutex);
}

static int am_first(void) {
#ifdef FIXED
    pthread_mutex_lock(&mutex);
#endif
    const int was_first = first;
    if (was_first) first = 0;
#ifdef FIXED
    pthread_mutex_unlock(&mutex);
#endif
    return was_first;
}

static void* run(void* unused) {
    if (am_first()) print_race();
    return unused;
}

// first_flag [THREADS]
int main(int count, char** arguments) {
    run_threads(number_argument(count, arguments, 1, 3, 2, most_threads), run);
    return 0;
}
