// CHESS found no bug that needs more than two preemptions; this one needs three. Two peers open a connection at the same
// time, each by asking and confirming; every step is one critical section and does something only in the state that
// it expects. "Confirmed by both" without either having given its name is reached only if the steps of the two take
// turns: ask, ask, confirm, confirm. Each of the first three has to be interrupted.
// Fixed: the second confirmation looks whether there is a name.
#include <assert.h>

#include "corpus/threads.h"

enum State { idle, asked_by_one, asked_by_both, confirmed_by_one, confirmed_by_both };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static enum State state = idle;
static int names;

// From one state to the next, if that is where the connection is.
static void step(enum State from) {
    pthread_mutex_lock(&mutex);
    if (state == from) {
        state = from + 1;
#ifdef FIXED
        if (state == confirmed_by_both && names == 0) state = idle;
#endif
        assert(state != confirmed_by_both || names > 0);  // BUG
    }
    pthread_mutex_unlock(&mutex);
}

static void give_name(void) {
    pthread_mutex_lock(&mutex);
    names += 1;
    pthread_mutex_unlock(&mutex);
}

static void* run(void* number) {
    if (number == NULL) {
        step(idle);
        step(asked_by_both);
        give_name();
    } else {
        step(asked_by_one);
        step(confirmed_by_one);
        give_name();
    }
    return NULL;
}

int main(void) {
    run_threads(2, run);
    return 0;
}
