/* A thread waits in a loop for a flag, and counts meanwhile: it is never in the same state twice. */
#include <pthread.h>
#include <stddef.h>

static int stop;
static _Thread_local volatile int count;
static void* works(void* a) {
    while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) count++;
    return a;
}
static void* stops(void* a) {
    __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
    return a;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, works, NULL);
    pthread_create(&t[1], NULL, stops, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
