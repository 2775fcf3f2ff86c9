// A C11 thread that detaches itself because nobody said in time that it will be joined.
#include <threads.h>

static mtx_t lock;
static int wanted, detached;

static int work(void* unused) {
    (void)unused;
    mtx_lock(&lock);
    if (!wanted) {
        thrd_detach(thrd_current());
        detached = 1;
    }
    mtx_unlock(&lock);
    return 0;
}

int main(void) {
    mtx_init(&lock, mtx_plain);
    thrd_t worker;
    thrd_create(&worker, work, NULL);
    mtx_lock(&lock);
    wanted = 1;
    int late = detached;
    mtx_unlock(&lock);
#ifndef FIXED
    late = 0;
#endif
    if (!late) {
        thrd_join(worker, NULL);  // BUG
    }
    return 0;
}
