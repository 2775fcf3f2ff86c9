// Creates and joins a thread, and then another one each with more on the stack than before.
#include <pthread.h>
#include <stdlib.h>

static void* nothing(void* unused) { return unused; }

static __attribute__((noinline)) void create(pthread_t* thread) {
    if (pthread_create(thread, NULL, nothing, NULL) != 0) abort();
}

static __attribute__((noinline)) void join(pthread_t thread) {
    if (pthread_join(thread, NULL) != 0) abort();
}

static __attribute__((noinline)) void create_deeper(pthread_t* thread) {
    volatile char room[512];
    room[0] = 1;
    create(thread);
    room[1] = room[0];
}

static __attribute__((noinline)) void join_deeper(pthread_t thread) {
    volatile char room[512];
    room[0] = 1;
    join(thread);
    room[1] = room[0];
}

int main(void) {
    pthread_t first, second;
    create(&first);
    create_deeper(&second);
    join(first);
    join_deeper(second);
    return 0;
}
