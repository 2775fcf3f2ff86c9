// Figure 1 of "Systematic Testing of Multithreaded Programs": every access is under the lock, but the
// increment is split over two critical sections, so that one of two increments can be lost. See
// splitsync_fixed.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t resource = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void* run(void* unused) {
    pthread_mutex_lock(&resource);
    int y = x;
    pthread_mutex_unlock(&resource);
    pthread_mutex_lock(&resource);
    assert(x == y);
    x = y + 1;
    pthread_mutex_unlock(&resource);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, run, NULL);
    pthread_create(&second, NULL, run, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
