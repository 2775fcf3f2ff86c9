// ExitBlock, figure 2: two threads, one with a nested region. There is nothing wrong with it; it is here for the
// number of its schedules (figures 4 and 7).
#include "corpus/threads.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void* thread_1(void* unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void* thread_2(void* unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    return unused;
}

static void* run(void* number) { return number == NULL ? thread_1(number) : thread_2(number); }

int main(void) {
    run_threads(2, run);
    return 0;
}
