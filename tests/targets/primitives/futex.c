// A lock made by hand of a futex. Who has waited must say that others may wait too, or the last one sleeps
// for ever.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { is_free, is_taken, is_contended };
static atomic_int word;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static int arrived, count;

static void lock(void) {
    int expected = is_free;
    if (atomic_compare_exchange_strong(&word, &expected, is_taken)) return;
    for (;;) {
        if (expected == is_contended || atomic_exchange(&word, is_contended) != is_free) {
            syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, is_contended, NULL);  // BUG
        }
        expected = is_free;
#ifdef FIXED
        if (atomic_compare_exchange_strong(&word, &expected, is_contended)) return;
#else
        if (atomic_compare_exchange_strong(&word, &expected, is_taken)) return;
#endif
    }
}

static void unlock(void) {
    if (atomic_exchange(&word, is_free) == is_contended) {
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
    }
}

static void* work(void* unused) {
    (void)unused;
    pthread_mutex_lock(&counting);
    arrived += 1;
    pthread_mutex_unlock(&counting);
    lock();
    pthread_mutex_lock(&counting);
    count += 1;
    pthread_mutex_unlock(&counting);
    unlock();
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    work(NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
