// Cooperari, table 5.1: Bank. Threads transfer money between two accounts, half of them in each direction, and lock the
// account that the money comes from first. (The race on the balance that the original has as well is left out; see
// contest/move_money.)
// One preemption: a thread between its two locks.
// Fixed: the accounts are locked in the order of their numbers.
#include <assert.h>

#include "corpus/threads.h"

struct Account {
    pthread_mutex_t mutex;
    int balance;
};

static struct Account accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 100}, {PTHREAD_MUTEX_INITIALIZER, 100}};

static void transfer(int from, int to, int amount) {
#ifdef FIXED
    const int first = from < to ? from : to;
#else
    const int first = from;
#endif
    const int second = from + to - first;
    pthread_mutex_lock(&accounts[first].mutex);
    pthread_mutex_lock(&accounts[second].mutex);  // BUG
    accounts[from].balance -= amount;
    accounts[to].balance += amount;
    pthread_mutex_unlock(&accounts[second].mutex);
    pthread_mutex_unlock(&accounts[first].mutex);
}

static void* run(void* number) {
    const int from = (int)((long)number % 2);
    transfer(from, 1 - from, 10);
    return NULL;
}

// bank [THREADS]
int main(int count, char** arguments) {
    run_threads(number_argument(count, arguments, 1, 2, 2, most_threads), run);
    assert(accounts[0].balance + accounts[1].balance == 200);
    return 0;
}
