// Two C11 threads wait for different things on one condition: a signal may wake the wrong one.
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static int stage;

static int await_stage(void* wanted) {
    mtx_lock(&lock);
    while (stage < *(int*)wanted) {
        cnd_wait(&changed, &lock);  // BUG
    }
    stage += 1;
#ifdef FIXED
    cnd_broadcast(&changed);
#else
    cnd_signal(&changed);
#endif
    mtx_unlock(&lock);
    return 0;
}

int main(void) {
    static int one = 1, two = 2, none = 0;
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    thrd_t first, second;
    thrd_create(&first, await_stage, &one);
    thrd_create(&second, await_stage, &two);
    await_stage(&none);
    thrd_join(first, NULL);
    thrd_join(second, NULL);
    cnd_destroy(&changed);
    return 0;
}
