/* Waits by trying again: with sched_yield (argument yield), usleep (sleep) or trylock alone (trylock), until main sets a
 * flag; with a second argument it never does. */
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int done;
static const char* how;

static void* wait_until_done(void* argument) {
    if (strcmp(how, "trylock") == 0) {
        while (pthread_mutex_trylock(&gate) != 0) { /* LOOP */
        }
        pthread_mutex_unlock(&gate);
        return argument;
    }
    for (;;) {
        pthread_mutex_lock(&mutex);
        const int seen = done;
        pthread_mutex_unlock(&mutex);
        if (seen) return argument;
        if (strcmp(how, "yield") == 0)
            sched_yield();
        else
            usleep(10);
    }
}

int main(int argc, char** argv) {
    how = argv[1];
    pthread_mutex_lock(&gate);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, wait_until_done, NULL);
    if (argc == 2) {
        pthread_mutex_unlock(&gate);
        pthread_mutex_lock(&mutex);
        done = 1;
        pthread_mutex_unlock(&mutex);
    }
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
