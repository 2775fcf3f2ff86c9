// Cooperari, table 5.1: Merge Sort. Every thread sorts its part of an array and merges it into the result. Nothing keeps
// two threads from merging at once: numbers are lost.
// A data race and nothing else. One preemption: a thread between its look at the length of the result and its end.
// Fixed: one merges at a time.
#include <assert.h>

#include "corpus/threads.h"

enum { part = 2 };
static int numbers[most_threads][part];
static volatile int result[most_threads * part];  // volatile: every access in the source is one in the program
static volatile int length;
static int threads;
#ifdef FIXED
static pthread_mutex_t merging = PTHREAD_MUTEX_INITIALIZER;
#endif

static void sort(int* some) {
    if (some[0] > some[1]) {
        const int larger = some[0];
        some[0] = some[1];
        some[1] = larger;
    }
}

static void merge(const int* some) {
    const int before = length;
    int place = before + part - 1;
    int old = before - 1;
    for (int mine = part - 1; mine >= 0; --place) {
        if (old >= 0 && result[old] > some[mine]) {
            result[place] = result[old];
            old -= 1;
        } else {
            result[place] = some[mine];
            mine -= 1;
        }
    }
    length = before + part;
}

static void* run(void* number) {
    int* mine = numbers[(long)number];
    sort(mine);
#ifdef FIXED
    pthread_mutex_lock(&merging);
#endif
    merge(mine);
#ifdef FIXED
    pthread_mutex_unlock(&merging);
#endif
    return NULL;
}

// merge_sort [THREADS]
int main(int count, char** arguments) {
    threads = number_argument(count, arguments, 1, 2, 2, most_threads);
    for (int i = 0; i < threads; ++i) {
        numbers[i][0] = 2 * threads - i;
        numbers[i][1] = i + 1;
    }
    run_threads(threads, run);
    for (int i = 0; i < threads * part; ++i) assert(result[i] == i + 1);  // BUG
    return 0;
}
