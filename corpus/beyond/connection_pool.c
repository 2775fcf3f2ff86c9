// A pool of as many connections as there are threads; everybody needs two and takes them one after the other. When each
// of them has one, nobody gets the second.
// As many preemptions as there are threads but one: each of them after its first connection; the last one runs into the
// empty pool by itself.
// Fixed: one thread takes at a time.
#include <semaphore.h>

#include "corpus/threads.h"

static sem_t connections;
#ifdef FIXED
static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER;
#endif

static void take_two(void) {
#ifdef FIXED
    pthread_mutex_lock(&taking);
#endif
    sem_wait(&connections);
    sem_wait(&connections);  // BUG
#ifdef FIXED
    pthread_mutex_unlock(&taking);
#endif
}

static void* run(void* unused) {
    take_two();
    sem_post(&connections);
    sem_post(&connections);
    return unused;
}

// connection_pool [THREADS]
int main(int count, char** arguments) {
    const int threads = number_argument(count, arguments, 1, 2, 2, most_threads);
    sem_init(&connections, 0, (unsigned)threads);
    run_threads(threads, run);
    return 0;
}
