// The destructor of C11 thread-specific data runs while main holds the lock to join the thread.
#include <threads.h>

static mtx_t lock;
static tss_t key;

static void forget(void* unused) {
    (void)unused;
    mtx_lock(&lock);  // BUG
    mtx_unlock(&lock);
}

static int work(void* unused) {
    (void)unused;
    tss_set(key, &key);
    thrd_exit(0);
}

int main(void) {
    mtx_init(&lock, mtx_plain);
    tss_create(&key, forget);
    thrd_t worker;
    thrd_create(&worker, work, NULL);
    mtx_lock(&lock);
#ifdef FIXED
    mtx_unlock(&lock);
    thrd_join(worker, NULL);
#else
    thrd_join(worker, NULL);
    mtx_unlock(&lock);
#endif
    tss_delete(key);
    return 0;
}
