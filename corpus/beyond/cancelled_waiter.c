// A thread that is cancelled in a wait has its mutex again, and keeps it if nobody has said that it is to be given up.
// No preemption: the waiting thread waits, is cancelled, and the main thread wants the mutex.
// Fixed: a cleanup handler.
#include "corpus/threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_ready;

#ifdef FIXED
static void give_up(void* held) { pthread_mutex_unlock((pthread_mutex_t*)held); }
#endif

static void* wait_until_ready(void* unused) {
    pthread_mutex_lock(&mutex);
#ifdef FIXED
    pthread_cleanup_push(give_up, &mutex);
#endif
    while (!is_ready) pthread_cond_wait(&changed, &mutex);
#ifdef FIXED
    pthread_cleanup_pop(0);
#endif
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t waiting;
    pthread_create(&waiting, NULL, wait_until_ready, NULL);
    pthread_cancel(waiting);
    pthread_join(waiting, NULL);
    pthread_mutex_lock(&mutex);  // BUG
    is_ready = 1;
    pthread_mutex_unlock(&mutex);
    return 0;
}
