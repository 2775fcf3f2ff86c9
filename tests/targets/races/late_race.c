/* Six threads come to a lock. If the one that was created last comes first, those that follow add to x without
 * a lock, and additions can get lost: a race that few of the 720 orders show. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum { threads = 6 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int arrived;          /* under mutex */
static int last_came_first;  /* under mutex */
static int additions;        /* under mutex */
static int x;

static void* come(void* argument) {
    pthread_mutex_lock(&mutex);
    if (arrived == 0 && (intptr_t)argument == threads - 1) last_came_first = 1;
    arrived++;
    const int adds = last_came_first;
    additions += adds;
    pthread_mutex_unlock(&mutex);
    if (adds) {
        const int seen = *(volatile int*)&x;
        *(volatile int*)&x = seen + 1;
    }
    return argument;
}

int main(void) {
    pthread_t all[threads];
    for (intptr_t i = 0; i < threads; i++) pthread_create(&all[i], NULL, come, (void*)i);
    for (int i = 0; i < threads; i++) pthread_join(all[i], NULL);
    assert(x == additions);
    return 0;
}
