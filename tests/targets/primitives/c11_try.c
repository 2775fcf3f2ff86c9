// A C11 trylock and a timed lock whose failure nobody looks at.
#include <threads.h>
#include <time.h>

static mtx_t lock;

static int hold(void* unused) {
    (void)unused;
    struct timespec limit;
    timespec_get(&limit, TIME_UTC);
    limit.tv_sec += 1;
    if (mtx_timedlock(&lock, &limit) == thrd_success) mtx_unlock(&lock);
    return 0;
}

int main(void) {
    mtx_init(&lock, mtx_timed);
    thrd_t holder;
    thrd_create(&holder, hold, NULL);
    int result = mtx_trylock(&lock);
#ifdef FIXED
    if (result == thrd_success) mtx_unlock(&lock);
#else
    (void)result;
    mtx_unlock(&lock);  // BUG
#endif
    thrd_join(holder, NULL);
    return 0;
}
