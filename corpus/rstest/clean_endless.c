// rstest, section 7.1: Clean, whose two tasks go on for ever; only a limit on the steps of a thread makes an end of a
// schedule that does not deadlock (--thread-steps; section 4.1 of the ExitBlock paper calls it the execution limit).
// See cooperari/clean_tasks.
// One preemption: a task between looking and waiting.
// Fixed: it looks again with the lock.
#include "corpus/threads.h"

struct Event {
    pthread_mutex_t mutex;
    pthread_cond_t happened;
    volatile int count;  // read without the lock
};

static struct Event first_event = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
static struct Event second_event = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

static void signal_to(struct Event* event) {
    pthread_mutex_lock(&event->mutex);
    event->count = (event->count + 1) % 3;
    pthread_cond_broadcast(&event->happened);
    pthread_mutex_unlock(&event->mutex);
}

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

static void* first_task(void* unused) {
    for (int seen = 0;; seen = (seen + 1) % 3) {
        wait_for(&first_event, seen);
        signal_to(&second_event);
    }
    return unused;
}

static void* second_task(void* unused) {
    for (int seen = 0;; seen = (seen + 1) % 3) {
        signal_to(&first_event);
        wait_for(&second_event, seen);
    }
    return unused;
}

static void* run(void* number) { return number == NULL ? first_task(number) : second_task(number); }

int main(void) {
    run_threads(2, run);
    return 0;
}
