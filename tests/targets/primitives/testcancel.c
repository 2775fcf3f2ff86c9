// A place where a thread may be cancelled, in the middle of what should not be cut in two.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t working;
static int begun, done;

static void* work(void* unused) {
    (void)unused;
#ifdef FIXED
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
#endif
    pthread_mutex_lock(&lock);
    begun += 1;
    pthread_mutex_unlock(&lock);
    sem_post(&working);
    pthread_testcancel();
    pthread_mutex_lock(&lock);
    done += 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    sem_init(&working, 0, 0);
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    sem_wait(&working);
    pthread_cancel(worker);
    pthread_join(worker, NULL);
    assert(begun == done);  // BUG
    return 0;
}
