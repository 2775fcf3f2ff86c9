// What a reader saw may be different when it has become the writer.
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int made;

static void* make_once(void* unused) {
    (void)unused;
    pthread_rwlock_rdlock(&lock);
    int missing = made == 0;
    pthread_rwlock_unlock(&lock);
    if (missing) {
        pthread_rwlock_wrlock(&lock);
#ifdef FIXED
        if (made == 0) made += 1;
#else
        made += 1;
#endif
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, make_once, NULL);
    make_once(NULL);
    pthread_join(other, NULL);
    assert(made == 1);  // BUG
    return 0;
}
