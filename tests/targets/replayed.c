/* A lock order that can deadlock, for the tests of replay. Built three times: as it is; REBUILT, with everything that
   an unrelated change moves (lines, functions, addresses); CHANGED, with one lock more in the second thread. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef REBUILT
/* An unrelated function with unrelated data. */
int unrelated_data[1000] = {1};

__attribute__((noinline)) int unrelated(int from) {
    for (int i = 0; i < 1000; ++i) {
        from += unrelated_data[i];
    }
    return from;
}
#endif

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t more = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *second;

static void *forward(void *argument) {
    pthread_mutex_lock(&first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(&first);
    return argument;
}

static void *backward(void *argument) {
#ifdef CHANGED
    pthread_mutex_lock(&more);
    pthread_mutex_unlock(&more);
#endif
    pthread_mutex_lock(second);
    pthread_mutex_lock(&first);
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(second);
    return argument;
}

int main(void) {
    pthread_t threads[2];
#ifdef REBUILT
    if (unrelated(-1) < 0) return 1;
#endif
    char line[100];
    if (fgets(line, sizeof line, stdin)) printf("read: %s", line), fflush(stdout);
    second = malloc(sizeof *second);
    pthread_mutex_init(second, NULL);
    pthread_create(&threads[0], NULL, forward, NULL);
    pthread_create(&threads[1], NULL, backward, NULL);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    pthread_mutex_lock(&more);
    pthread_mutex_unlock(&more);
    return 0;
}
