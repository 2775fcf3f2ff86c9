/* Two threads add one to x, without a lock: one addition can get lost. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int x;

static void* add(void* argument) {
    const int seen = *(volatile int*)&x;
    *(volatile int*)&x = seen + 1;
    return argument;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(x == 2);
    return 0;
}
