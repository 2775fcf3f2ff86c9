// ExitBlock, sections 1 and 7: "errors in programs of four threads with twenty synchronized regions each in a matter of
// minutes". So many threads enter so many regions each, of one lock for all (their blocks interact) or of a lock each
// (they do not); in the middle every thread adds to a sum in two sections, as SplitSync does.
// One preemption, between the two sections.
// Fixed: the sum is read and written in one section.
#include <assert.h>
#include <string.h>

#include "corpus/threads.h"

static pthread_mutex_t common = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t own[most_threads];
static int shared_work;
static int own_work[most_threads];
static int sum;
static int regions = 20;
static int one_lock;

static void enter_region(int me) {
    pthread_mutex_t* mutex = one_lock ? &common : &own[me];
    pthread_mutex_lock(mutex);
    if (one_lock) {
        shared_work += 1;
    } else {
        own_work[me] += 1;
    }
    pthread_mutex_unlock(mutex);
}

static void add(void) {
    pthread_mutex_lock(&common);
    const int seen = sum;
#ifndef FIXED
    pthread_mutex_unlock(&common);
    pthread_mutex_lock(&common);
#endif
    assert(sum == seen);  // BUG
    sum = seen + 1;
    pthread_mutex_unlock(&common);
}

static void* run(void* number) {
    const int me = (int)(long)number;
    for (int region = 0; region < regions - 2; ++region) {
        if (region == (regions - 2) / 2) add();
        enter_region(me);
    }
    return NULL;
}

// regions [THREADS [REGIONS [together|apart]]]
int main(int count, char** arguments) {
    const int threads = number_argument(count, arguments, 1, 4, 2, most_threads);
    regions = number_argument(count, arguments, 2, 20, 3, 1000);
    one_lock = count <= 3 || strcmp(arguments[3], "together") == 0;
    for (int i = 0; i < threads; ++i) pthread_mutex_init(&own[i], NULL);
    run_threads(threads, run);
    return 0;
}
