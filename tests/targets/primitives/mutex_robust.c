// A robust mutex whose owner died is lost for all unless the next owner makes it consistent.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock;

static void* die(void* unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    return NULL;
}

static void* use(void* unused) {
    (void)unused;
    int error = pthread_mutex_lock(&lock);
    assert(error != ENOTRECOVERABLE);  // BUG
#ifdef FIXED
    if (error == EOWNERDEAD) pthread_mutex_consistent(&lock);
#endif
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attributes);
    pthread_t dead, user;
    pthread_create(&user, NULL, use, NULL);
    pthread_create(&dead, NULL, die, NULL);
    use(NULL);
    pthread_join(dead, NULL);
    pthread_join(user, NULL);
    return 0;
}
