// Each thread has a name of its own.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;

static void* work(void* unused) {
    char name[16];
    pthread_setname_np(pthread_self(), "worker");
    pthread_barrier_wait(&barrier);
    pthread_getname_np(pthread_self(), name, sizeof name);
    printf("%s\n", name);
    return unused;
}

int main(void) {
    char name[16];
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, work, NULL);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    pthread_getname_np(pthread_self(), name, sizeof name);
    printf("%s\n", name);
    return 0;
}
