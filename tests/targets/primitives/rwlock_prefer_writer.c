// A reader that reads again while a preferred writer has arrived: each waits for the other.
#define _GNU_SOURCE
#include <pthread.h>

#ifdef FIXED
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#else
static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#endif

static void* write_once(void* unused) {
    (void)unused;
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t writer;
    pthread_create(&writer, NULL, write_once, NULL);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);  // BUG
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(writer, NULL);
    return 0;
}
