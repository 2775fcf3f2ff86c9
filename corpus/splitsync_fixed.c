// splitsync with the increment in one critical section.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t resource = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void* run(void* unused) {
    pthread_mutex_lock(&resource);
    x = x + 1;
    pthread_mutex_unlock(&resource);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, run, NULL);
    pthread_create(&second, NULL, run, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(x == 2);
    return 0;
}
