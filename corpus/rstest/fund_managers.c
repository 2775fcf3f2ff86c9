// rstest, section 7.2: fund managers transfer money between funds, and none is to appear or disappear; an account is
// read and written without anybody being kept out.
// A data race and nothing else. Two preemptions: a manager between reading and writing a balance, and the other one
// between its transfers, which in all move nothing.
// Fixed: a lock.
#include <assert.h>

#include "corpus/threads.h"

enum { funds = 2, start = 1000, transfers = 2 };
static volatile int balance[funds] = {start, start};  // volatile: every access is one in the program
#ifdef FIXED
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#endif

static void transfer(int from, int to, int amount) {
#ifdef FIXED
    pthread_mutex_lock(&mutex);
#endif
    balance[from] = balance[from] - amount;
    balance[to] = balance[to] + amount;
#ifdef FIXED
    pthread_mutex_unlock(&mutex);
#endif
}

static void* manage(void* number) {
    for (int i = 0; i < transfers; ++i) transfer((int)((long)number + i) % funds, (int)((long)number + i + 1) % funds, 10);
    return NULL;
}

// fund_managers [MANAGERS]
int main(int count, char** arguments) {
    run_threads(number_argument(count, arguments, 1, 2, 2, most_threads), manage);
    assert(balance[0] + balance[1] == funds * start);  // BUG
    return 0;
}
