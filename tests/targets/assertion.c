// A thread fails an assertion.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int value = 1;

static void* check(void* unused) {
    assert(value == 2);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, check, NULL);
    pthread_join(thread, NULL);
    return 0;
}
