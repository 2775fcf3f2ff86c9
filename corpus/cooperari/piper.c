// Cooperari, table 5.1: Piper. Tickets for an airplane are put into a small buffer by some threads and taken out by
// others. Whether there is room, or a ticket, is tested with if: of two threads that were woken for one seat the second
// overwrites it, or takes what is not there, and somebody waits for ever.
// Everybody does it twice. With two threads there is nobody to be woken by mistake.
// No preemption: both who fill wait for room, both are woken, the second overwrites the ticket of the first.
// Fixed: while.
#include "corpus/threads.h"

enum { seats = 1, rounds = 2 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int tickets[seats];
static int filled;

static void wait_while_full(void) {
#ifdef FIXED
    while (filled == seats)
#else
    if (filled == seats)
#endif
        pthread_cond_wait(&changed, &mutex);  // BUG
}

static void wait_while_empty(void) {
#ifdef FIXED
    while (filled == 0)
#else
    if (filled == 0)
#endif
        pthread_cond_wait(&changed, &mutex);  // BUG
}

static void fill(int ticket) {
    pthread_mutex_lock(&mutex);
    wait_while_full();
    tickets[0] = ticket;  // a ticket that nobody has taken yet is lost
    filled = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void empty(void) {
    pthread_mutex_lock(&mutex);
    wait_while_empty();
    filled = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void* run(void* number) {
    for (int round = 0; round < rounds; ++round) {
        if ((long)number % 2 == 0) {
            fill((int)(long)number);
        } else {
            empty();
        }
    }
    return NULL;
}

// piper [THREADS]: an even number; half of them fill, half of them empty
int main(int count, char** arguments) {
    run_threads(number_argument(count, arguments, 1, 4, 2, most_threads) / 2 * 2, run);
    return 0;
}
