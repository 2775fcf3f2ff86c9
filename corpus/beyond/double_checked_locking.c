// Double-checked locking: who finds the pointer set takes no lock. It is set before what it points to is ready.
// A data race and nothing else. One preemption: the first thread between setting the pointer and making ready.
// Fixed: everybody looks with the lock.
#include <assert.h>

#include "corpus/threads.h"

struct Settings {
    int size;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct Settings storage;
static struct Settings* volatile instance;  // volatile: every access in the source is one in the program

static struct Settings* get_instance(void) {
#ifndef FIXED
    if (instance != NULL) return instance;
#endif
    pthread_mutex_lock(&mutex);
    if (instance == NULL) {
        instance = &storage;
        *(volatile int*)&instance->size = 10;
    }
    pthread_mutex_unlock(&mutex);
    return instance;
}

static void* run(void* unused) {
    const int size = *(volatile int*)&get_instance()->size;
    assert(size == 10);  // BUG
    return unused;
}

// double_checked_locking [THREADS]
int main(int count, char** arguments) {
    run_threads(number_argument(count, arguments, 1, 2, 2, most_threads), run);
    return 0;
}
