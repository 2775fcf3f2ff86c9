// A thread cancelled in a wait has the mutex again; who gives it back?
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting;

static void unlock(void* mutex) { pthread_mutex_unlock(mutex); }

static void leave(void* unused) {
    (void)unused;
#ifndef FIXED
    pthread_mutex_lock(&lock);  // BUG
    waiting -= 1;
    pthread_mutex_unlock(&lock);
#endif
}

static void* work(void* unused) {
    (void)unused;
    pthread_testcancel();
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, &lock);
    pthread_cleanup_push(leave, NULL);
    waiting += 1;
    while (waiting < 2) pthread_cond_wait(&changed, &lock);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(1);
    return NULL;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    if (waiting == 1) pthread_cancel(worker);
    waiting += 1;
    pthread_mutex_unlock(&lock);
    pthread_join(worker, NULL);
    return 0;
}
