// A lock for readers and writers in which a writer that waits keeps new readers out. A reader that reads again, inside,
// waits for the writer, which waits for the reader.
// One preemption: the reader between its two locks.
// Fixed: the inner function relies on the lock of the outer one.
#define _GNU_SOURCE
#include "corpus/threads.h"

static pthread_rwlock_t lock;
static int value;

static int get(void) {
#ifndef FIXED
    pthread_rwlock_rdlock(&lock);  // BUG
#endif
    const int result = value;
#ifndef FIXED
    pthread_rwlock_unlock(&lock);
#endif
    return result;
}

static void* read_twice(void* unused) {
    pthread_rwlock_rdlock(&lock);
    if (get() != get()) abort();
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void* write_once(void* unused) {
    pthread_rwlock_wrlock(&lock);
    value += 1;
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void* run(void* number) { return number == NULL ? write_once(number) : read_twice(number); }

// nested_read_lock [THREADS]: the first one writes
int main(int count, char** arguments) {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &attributes);
    run_threads(number_argument(count, arguments, 1, 2, 2, most_threads), run);
    return 0;
}
