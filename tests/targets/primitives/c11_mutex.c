// Two C11 mutexes in two orders.
#include <threads.h>

static mtx_t left, right;

static int go(void* unused) {
    (void)unused;
    mtx_lock(&left);
    mtx_lock(&right);  // BUG
    mtx_unlock(&right);
    mtx_unlock(&left);
    return 0;
}

int main(void) {
    mtx_init(&left, mtx_plain);
    mtx_init(&right, mtx_plain | mtx_recursive);
    thrd_t other;
    thrd_create(&other, go, NULL);
#ifdef FIXED
    mtx_lock(&left);
    mtx_lock(&right);
#else
    mtx_lock(&right);
    mtx_lock(&left);
#endif
    mtx_lock(&right);
    mtx_unlock(&right);
    mtx_unlock(&right);
    mtx_unlock(&left);
    thrd_join(other, NULL);
    mtx_destroy(&left);
    mtx_destroy(&right);
    return 0;
}
