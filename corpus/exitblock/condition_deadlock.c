// ExitBlock, sections 6.2 and 7: a condition deadlock. A thread waits for a condition while it holds another lock, which
// whoever is to signal needs first (nested monitors).
// No preemption: the waiter goes first.
// Fixed: the outer lock is given up before the wait.
#include "corpus/threads.h"

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void wait_until_ready(void) {
    pthread_mutex_lock(&inner);
    while (!ready) pthread_cond_wait(&changed, &inner);  // BUG
    pthread_mutex_unlock(&inner);
}

static void use(void) {
    pthread_mutex_lock(&outer);
#ifdef FIXED
    pthread_mutex_unlock(&outer);
    wait_until_ready();
#else
    wait_until_ready();
    pthread_mutex_unlock(&outer);
#endif
}

static void make_ready(void) {
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    ready = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
}

static void* run(void* number) {
    if (number == NULL) {
        make_ready();
    } else {
        use();
    }
    return number;
}

// condition_deadlock [THREADS]: the first of them makes ready
int main(int count, char** arguments) {
    run_threads(number_argument(count, arguments, 1, 2, 2, most_threads), run);
    return 0;
}
