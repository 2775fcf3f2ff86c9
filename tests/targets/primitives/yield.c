// Yielding is no way to wait for a thread.
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void* work(void* unused) {
    (void)unused;
    sched_yield();
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    sched_yield();
#ifdef FIXED
    pthread_join(worker, NULL);
#endif
    pthread_mutex_lock(&lock);
    int seen = done;
    pthread_mutex_unlock(&lock);
    assert(seen);  // BUG
    return 0;
}
