// Sleeping is no way to wait for a thread.
#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void* work(void* unused) {
    (void)unused;
    sleep(1);
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    usleep(2000000);
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_sec = 1}, NULL);
#ifdef FIXED
    pthread_join(worker, NULL);
#endif
    pthread_mutex_lock(&lock);
    int seen = done;
    pthread_mutex_unlock(&lock);
    assert(seen);  // BUG
    return 0;
}
