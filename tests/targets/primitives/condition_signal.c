// Two threads wait for different things on one condition: a signal may wake the wrong one.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int stage;

static void* await_stage(void* wanted) {
    pthread_mutex_lock(&lock);
    while (stage < *(int*)wanted) {
        pthread_cond_wait(&changed, &lock);  // BUG
    }
    stage += 1;
#ifdef FIXED
    pthread_cond_broadcast(&changed);
#else
    pthread_cond_signal(&changed);
#endif
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    static int one = 1, two = 2, none = 0;
    pthread_t first, second;
    pthread_create(&first, NULL, await_stage, &one);
    pthread_create(&second, NULL, await_stage, &two);
    await_stage(&none);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
