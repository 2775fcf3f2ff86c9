/* Two threads that take two locks, in opposite orders unless FIXED. */
#include <coopcheck.h>
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void* other(void* unused) {
#ifdef FIXED
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
#else
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
#endif
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return pthread_join(thread, NULL);
}
