// Two consumers woken for one thing: the second must look again.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int things;

static void* consume(void* unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
#ifdef FIXED
    while (things == 0) pthread_cond_wait(&changed, &lock);
#else
    if (things == 0) pthread_cond_wait(&changed, &lock);
#endif
    assert(things > 0);  // BUG
    things -= 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void produce(void) {
    pthread_mutex_lock(&lock);
    things += 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, consume, NULL);
    pthread_create(&second, NULL, consume, NULL);
    produce();
    produce();
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
