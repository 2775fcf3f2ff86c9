// Memory of objects that are gone becomes other objects, with and without a call that says so.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static union {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    pthread_rwlock_t rwlock;
    pthread_once_t once;
} memory;
static int made;

static void make(void) { made += 1; }

static void* work(void* unused) {
    (void)unused;
    for (int round = 0; round < 2; ++round) {
        memory.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
        pthread_mutex_lock(&memory.mutex);
        pthread_mutex_unlock(&memory.mutex);
        pthread_mutex_destroy(&memory.mutex);
        memory.rwlock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
        pthread_rwlock_wrlock(&memory.rwlock);
        pthread_rwlock_unlock(&memory.rwlock);
        pthread_rwlock_destroy(&memory.rwlock);
        memory.condition = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
        pthread_cond_signal(&memory.condition);
        pthread_cond_destroy(&memory.condition);
        memset(&memory, 0, sizeof memory);
        pthread_once(&memory.once, make);
        pthread_once(&memory.once, make);
    }
    return NULL;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_join(worker, NULL);
    printf("made %d\n", made);
    return 0;
}
