// Cooperari, table 5.1: Two Stage. A writer changes two values that belong together in two critical sections, each with the
// lock of its value; a reader comes in between. Half of the threads write.
// One preemption: a writer between its sections.
// Fixed: readers and writers hold both locks.
#include <assert.h>

#include "corpus/threads.h"

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second_lock = PTHREAD_MUTEX_INITIALIZER;
static int first;
static int second;

static void between_the_stages(void) {
#ifndef FIXED
    pthread_mutex_unlock(&first_lock);
#endif
    pthread_mutex_lock(&second_lock);
}

static void end(void) {
    pthread_mutex_unlock(&second_lock);
#ifdef FIXED
    pthread_mutex_unlock(&first_lock);
#endif
}

static void write_both(void) {
    pthread_mutex_lock(&first_lock);
    first = 1;
    between_the_stages();
    second = 2;
    end();
}

static void read_both(void) {
    pthread_mutex_lock(&first_lock);
    const int seen_first = first;
    between_the_stages();
    const int seen_second = second;
    end();
    if (seen_first != 0) assert(seen_second == seen_first + 1);  // BUG
}

static void* run(void* number) {
    if ((long)number % 2 == 0) {
        write_both();
    } else {
        read_both();
    }
    return NULL;
}

// two_stage [THREADS]
int main(int count, char** arguments) {
    run_threads(number_argument(count, arguments, 1, 2, 2, most_threads), run);
    return 0;
}
