// Cooperari, table 5.1: Apache Common Lang. An object computes its hash code when it is first asked for it, and keeps the
// sum in the very field that says whether it is there: a thread that looks in the middle takes half of a sum.
// A data race and nothing else: there is no lock, so it is found only where accesses to memory are points to switch at.
// One preemption: the first thread between its additions.
// Fixed: summed up in a variable of its own, written once, under a lock.
#include <assert.h>

#include "corpus/threads.h"

static const unsigned fields[3] = {7, 11, 13};
static volatile unsigned hash;  // volatile: every access in the source is one in the program
#ifdef FIXED
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#endif

static unsigned whole_hash(void) {
    unsigned sum = 0;
    for (int i = 0; i < 3; ++i) sum = sum * 37 + fields[i];
    return sum;
}

static unsigned hash_code(void) {
#ifdef FIXED
    pthread_mutex_lock(&mutex);
    if (hash == 0) hash = whole_hash();
    const unsigned result = hash;
    pthread_mutex_unlock(&mutex);
    return result;
#else
    if (hash == 0) {
        for (int i = 0; i < 3; ++i) hash = hash * 37 + fields[i];
    }
    return hash;
#endif
}

static void* run(void* unused) {
    const unsigned mine = hash_code();
    assert(mine == whole_hash());  // BUG
    return unused;
}

// apache_common_lang [THREADS]
int main(int count, char** arguments) {
    run_threads(number_argument(count, arguments, 1, 2, 2, most_threads), run);
    return 0;
}
