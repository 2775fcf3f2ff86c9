// lock_rounds THREADS ROUNDS [own]: each thread locks and unlocks so often, one mutex for all or each its
// own.
#include <pthread.h>
#include <stdlib.h>

enum { most = 64 };
static pthread_mutex_t mutexes[most];
static long rounds = 1;

static void* work(void* mutex) {
    // Something in the vector registers that the other threads do not have.
    __asm__ volatile("movq %0, %%xmm15" : : "r"(mutex) : "xmm15");
    for (long i = 0; i < rounds; ++i) {
        pthread_mutex_lock(mutex);
        pthread_mutex_unlock(mutex);
    }
    return NULL;
}

int main(int count, char** arguments) {
    pthread_t threads[most];
    if (count < 3) return 2;
    const int threads_wanted = atoi(arguments[1]);
    if (threads_wanted < 1 || threads_wanted > most) return 2;
    rounds = atol(arguments[2]);
    for (int i = 0; i < threads_wanted; ++i) pthread_mutex_init(&mutexes[i], NULL);
    for (int i = 0; i < threads_wanted; ++i)
        pthread_create(&threads[i], NULL, work, &mutexes[count > 3 ? i : 0]);
    for (int i = 0; i < threads_wanted; ++i) pthread_join(threads[i], NULL);
    return 0;
}
