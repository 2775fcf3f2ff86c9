// The last one out destroys the mutex; without counting, the first one does.
#include <pthread.h>
#include <stdlib.h>

struct shared {
    pthread_mutex_t lock;
    int users;
};

static void* leave(void* argument) {
    struct shared* shared = argument;
    pthread_mutex_lock(&shared->lock);  // BUG
    shared->users -= 1;
#ifdef FIXED
    int last = shared->users == 0;
#else
    int last = 1;
#endif
    pthread_mutex_unlock(&shared->lock);
    if (last) {
        pthread_mutex_destroy(&shared->lock);
    }
    return NULL;
}

int main(void) {
    struct shared* shared = malloc(sizeof *shared);
    pthread_mutex_init(&shared->lock, NULL);
    shared->users = 2;
    pthread_t other;
    pthread_create(&other, NULL, leave, shared);
    leave(shared);
    pthread_join(other, NULL);
    free(shared);
    return 0;
}
