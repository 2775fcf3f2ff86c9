// A semaphore used as a lock, with room for one too many.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t room;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void* visit(void* unused) {
    (void)unused;
    sem_wait(&room);
    pthread_mutex_lock(&lock);
    inside += 1;
    assert(inside == 1);  // BUG
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    inside -= 1;
    pthread_mutex_unlock(&lock);
    sem_post(&room);
    return NULL;
}

int main(void) {
#ifdef FIXED
    sem_init(&room, 0, 1);
#else
    sem_init(&room, 0, 2);
#endif
    pthread_t other;
    pthread_create(&other, NULL, visit, NULL);
    visit(NULL);
    pthread_join(other, NULL);
    sem_destroy(&room);
    return 0;
}
