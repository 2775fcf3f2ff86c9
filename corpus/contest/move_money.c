// ConTest, second experiment: threads move money between two accounts of an array while the main thread checks the sum.
// With the argument "busywork" they work for a while (a loop of empty writes) around it, which hides the fault from
// those who wait for luck and changes nothing for a search.
// A data race and nothing else. One preemption: a thread between adding and subtracting.
// Fixed: one lock for both accounts.
#include <assert.h>

#include "corpus/threads.h"

enum { accounts = 4, start = 100 };
static volatile int money[accounts] = {start, start, start, start};  // volatile: every access is one in the program
static int has_busywork;
#ifdef FIXED
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#endif

static void lock(void) {
#ifdef FIXED
    pthread_mutex_lock(&mutex);
#endif
}

static void unlock(void) {
#ifdef FIXED
    pthread_mutex_unlock(&mutex);
#endif
}

static void busywork(void) {
    volatile int nothing = 0;
    if (!has_busywork) return;
    for (int i = 0; i < 10000; ++i) nothing = i;
    (void)nothing;
}

static void* move_money(void* number) {
    const int from = (int)((long)number % accounts);
    const int to = (from + 1) % accounts;
    busywork();
    lock();
    money[to] += 7;
    money[from] -= 7;
    unlock();
    busywork();
    return NULL;
}

static void check_sum(void) {
    int sum = 0;
    lock();
    for (int i = 0; i < accounts; ++i) sum += money[i];
    unlock();
    assert(sum == accounts * start);  // BUG
}

// move_money [THREADS [busywork]]
int main(int count, char** arguments) {
    const int movers = number_argument(count, arguments, 1, 2, 1, most_threads);
    has_busywork = count > 2;
    pthread_t threads[most_threads];
    start_threads(threads, movers, move_money);
    check_sum();
    join_threads(threads, movers);
    check_sum();
    return 0;
}
