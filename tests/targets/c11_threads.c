// The threads of C11.
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex;
static cnd_t condition;
static once_flag flag = ONCE_FLAG_INIT;
static int ready, calls;

static void initialize(void) { calls += 1; }

static int work(void* unused) {
    (void)unused;
    call_once(&flag, initialize);
    mtx_lock(&mutex);
    ready = 1;
    cnd_signal(&condition);
    mtx_unlock(&mutex);
    thrd_yield();
    return 21;
}

int main(void) {
    thrd_t thread;
    int result = 0;
    struct timespec soon;
    mtx_init(&mutex, mtx_timed);
    cnd_init(&condition);
    call_once(&flag, initialize);
    thrd_create(&thread, work, NULL);
    mtx_lock(&mutex);
    while (!ready) cnd_wait(&condition, &mutex);
    printf("%d ", mtx_trylock(&mutex) == thrd_busy);
    timespec_get(&soon, TIME_UTC);
    soon.tv_nsec = 0;
    printf("%d ", cnd_timedwait(&condition, &mutex, &soon) == thrd_timedout);
    printf("%d ", mtx_timedlock(&mutex, &soon) == thrd_timedout);
    mtx_unlock(&mutex);
    thrd_join(thread, &result);
    thrd_sleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    mtx_destroy(&mutex);
    cnd_destroy(&condition);
    printf("%d %d\n", result, calls);
    return 0;
}
