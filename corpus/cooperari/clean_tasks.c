// Cooperari, table 5.1: Clean, from NASA's Remote Agent. Two tasks wake each other by events. A task looks, without a
// lock, whether an event has happened since it looked last, and if not, waits for the next one: an event in between is
// missed, and both tasks wait forever. Every pair of threads is such a pair of tasks. rstest/clean_endless is the same
// without an end.
// One preemption: a task between looking and waiting.
// Fixed: it looks again with the lock.
#include "corpus/threads.h"

struct Event {
    pthread_mutex_t mutex;
    pthread_cond_t happened;
    volatile int count;  // read without the lock
};

struct Pair {
    struct Event first;
    struct Event second;
};

static struct Pair pairs[most_threads / 2];
static int rounds = 2;

static void wait_for(struct Event* event, int seen) {
#ifndef FIXED
    if (event->count != seen) return;
#endif
    pthread_mutex_lock(&event->mutex);
#ifdef FIXED
    while (event->count == seen)
#endif
        pthread_cond_wait(&event->happened, &event->mutex);  // BUG
    pthread_mutex_unlock(&event->mutex);
}

static void signal_to(struct Event* event) {
    pthread_mutex_lock(&event->mutex);
    event->count += 1;
    pthread_cond_broadcast(&event->happened);
    pthread_mutex_unlock(&event->mutex);
}

static void* run(void* number) {
    struct Pair* pair = &pairs[(long)number / 2];
    for (int round = 0; round < rounds; ++round) {
        if ((long)number % 2 == 0) {
            wait_for(&pair->first, round);
            signal_to(&pair->second);
        } else {
            signal_to(&pair->first);
            wait_for(&pair->second, round);
        }
    }
    return NULL;
}

static void initialize(struct Event* event) {
    pthread_mutex_init(&event->mutex, NULL);
    pthread_cond_init(&event->happened, NULL);
}

// clean_tasks [THREADS [ROUNDS]]: an even number of threads
int main(int count, char** arguments) {
    const int threads = number_argument(count, arguments, 1, 2, 2, most_threads) / 2 * 2;
    rounds = number_argument(count, arguments, 2, 2, 1, 1000);
    for (int i = 0; i < threads / 2; ++i) {
        initialize(&pairs[i].first);
        initialize(&pairs[i].second);
    }
    run_threads(threads, run);
    return 0;
}
