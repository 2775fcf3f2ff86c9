/* Two threads access x without a lock. Which instructions of the second one do so depends on who comes first
 * to the lock: in the order of their creation it only reads x; the other way round it adds one, and an
 * addition can get lost. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int first_was_here; /* under mutex */
static int x;
static int additions = 1;

static void add(void) {
    const int seen = *(volatile int*)&x;
    *(volatile int*)&x = seen + 1;
}

static void* first(void* argument) {
    pthread_mutex_lock(&mutex);
    first_was_here = 1;
    pthread_mutex_unlock(&mutex);
    add();
    return argument;
}

static void* second(void* argument) {
    pthread_mutex_lock(&mutex);
    const int is_second = first_was_here;
    pthread_mutex_unlock(&mutex);
    if (is_second) {
        (void)*(volatile int*)&x;
    } else {
        const int seen = *(volatile int*)&x;
        *(volatile int*)&x = seen + 1;
        additions++;
    }
    return argument;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(x == additions);
    return 0;
}
