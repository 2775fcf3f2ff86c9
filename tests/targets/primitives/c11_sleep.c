// Sleeping and yielding are no way to wait for a C11 thread.
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static int done;

static int work(void* unused) {
    (void)unused;
    mtx_lock(&lock);
    done = 1;
    mtx_unlock(&lock);
    return 0;
}

int main(void) {
    mtx_init(&lock, mtx_plain);
    thrd_t worker;
    thrd_create(&worker, work, NULL);
#ifdef FIXED
    thrd_join(worker, NULL);
#else
    thrd_yield();
    thrd_sleep(&(struct timespec){.tv_sec = 1}, NULL);
#endif
    mtx_lock(&lock);
    int seen = done;
    mtx_unlock(&lock);
    assert(seen);  // BUG
    return 0;
}
