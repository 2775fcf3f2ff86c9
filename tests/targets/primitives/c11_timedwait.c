// A signal that nobody waits for yet is lost when there is no state to look at.
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t changed;
static int ready;

static int produce(void* unused) {
    (void)unused;
    mtx_lock(&lock);
#ifdef FIXED
    ready = 1;
#endif
    cnd_signal(&changed);
    mtx_unlock(&lock);
    return 0;
}

int main(void) {
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    thrd_t producer;
    thrd_create(&producer, produce, NULL);
    struct timespec limit;
    timespec_get(&limit, TIME_UTC);
    limit.tv_sec += 1;
    int result = thrd_success;
    mtx_lock(&lock);
    if (!ready) result = cnd_timedwait(&changed, &lock, &limit);
    mtx_unlock(&lock);
    assert(result == thrd_success);  // BUG
    thrd_join(producer, NULL);
    return 0;
}
