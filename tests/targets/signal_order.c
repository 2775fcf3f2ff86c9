// A signal can come after the receiver has seen what the sender did before: fails if it does. With "ended" the
// receiver can be gone before the signal is sent.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready;
static volatile sig_atomic_t signalled;

static void note(int signal) {
    (void)signal;
    signalled = 1;
}

static void* look(void* nothing) {
    pthread_mutex_lock(&mutex);
    const int was_ready = ready;
    const int was_signalled = signalled;
    pthread_mutex_unlock(&mutex);
    assert(!was_ready || was_signalled);
    return nothing;
}

int main(int count, char** arguments) {
    struct sigaction action = {.sa_handler = note};
    pthread_t thread;
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, look, NULL);
    if (count > 1 && strcmp(arguments[1], "ended") == 0) {
        pthread_kill(thread, SIGUSR1);
        // Sent to a thread that has come to its end: nobody has run the handler.
        pthread_join(thread, NULL);
        assert(signalled);
        return 0;
    }
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
