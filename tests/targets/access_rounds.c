// access_rounds MODE: two threads read a variable for ever, by one instruction. "locked": a hundred times
// with a lock held, then the lock is given up and taken again. "racy": without a lock. "beside": without a lock
// once, and a hundred times another variable by the same instruction.
#include <pthread.h>
#include <string.h>

enum { times = 100 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(64) volatile long shared;
static _Alignas(64) volatile long other;
static const char* mode = "locked";

static __attribute__((noinline)) long look_at(volatile long* variable) { return *variable; }

static void* work(void* argument) {
    const int is_locked = strcmp(mode, "locked") == 0;
    const int beside = strcmp(mode, "beside") == 0 ? times : 0;
    for (;;) {
        if (is_locked) {
            pthread_mutex_lock(&mutex);
            for (int i = 0; i < times; ++i) look_at(&shared);
            pthread_mutex_unlock(&mutex);
        } else {
            look_at(&shared);
            for (int i = 0; i < beside; ++i) look_at(&other);
        }
    }
    return argument;
}

int main(int count, char** arguments) {
    pthread_t threads[2];
    if (count > 1) mode = arguments[1];
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    return 0;
}
