// An object that is shared by its count of references. Who counts it down to zero destroys it, in a second critical
// section; somebody who has found it in the table in between uses what is being destroyed.
// Two preemptions: the last owner between counting and destroying, the other between finding and using.
// Fixed: one section.
#include <assert.h>

#include "corpus/threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int references = 1;
static int is_listed = 1;
static int is_alive = 1;

static int get(void) {
    pthread_mutex_lock(&mutex);
    const int found = is_listed;
    if (found) references += 1;
    pthread_mutex_unlock(&mutex);
    return found;
}

static void put(void) {
    pthread_mutex_lock(&mutex);
    references -= 1;
    const int is_last = references == 0;
#ifndef FIXED
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
#endif
    if (is_last) {
        is_listed = 0;
        is_alive = 0;
    }
    pthread_mutex_unlock(&mutex);
}

static void use(void) {
    pthread_mutex_lock(&mutex);
    assert(is_alive);  // BUG
    pthread_mutex_unlock(&mutex);
}

static void* run(void* number) {
    if (number == NULL) {
        put();
    } else if (get()) {
        use();
        put();
    }
    return NULL;
}

// reference_count [THREADS]: the first one has the reference that there is from the start
int main(int count, char** arguments) {
    run_threads(number_argument(count, arguments, 1, 2, 2, most_threads), run);
    return 0;
}
