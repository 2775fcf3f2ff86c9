// Threads look something up in a cache, and who does not find it loads it, outside of the lock, and enters it. Two of them
// load the same.
// One preemption: a thread between looking and entering.
// Fixed: who loads says so first, and the others wait.
#include <assert.h>

#include "corpus/threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static enum { missing, loading, loaded } state = missing;
static int loads;

static void load(void) {
    pthread_mutex_lock(&mutex);
    loads += 1;
    assert(loads == 1);  // BUG
    state = loaded;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void* look_up(void* unused) {
    pthread_mutex_lock(&mutex);
#ifdef FIXED
    while (state == loading) pthread_cond_wait(&changed, &mutex);
#endif
    const int is_missing = state == missing;
#ifdef FIXED
    if (is_missing) state = loading;
#endif
    pthread_mutex_unlock(&mutex);
    if (is_missing) load();
    return unused;
}

// cache_fill [THREADS]
int main(int count, char** arguments) {
    run_threads(number_argument(count, arguments, 1, 2, 2, most_threads), look_up);
    return 0;
}
