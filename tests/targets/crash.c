// Dies of a signal: segv, abort, fpe, a lock that is nowhere; or survives one with a handler.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sigjmp_buf back;
static void on_signal(int signal) { siglongjmp(back, signal); }

static void* die(void* how) {
    volatile int* nowhere = NULL;
    volatile int zero = 0;
    if (strcmp(how, "abort") == 0) abort();
    if (strcmp(how, "fpe") == 0) zero = 10 / zero;
    if (strcmp(how, "lock") == 0) pthread_mutex_lock((pthread_mutex_t*)nowhere);
    *nowhere = 1;
    return NULL;
}

int main(int count, char** arguments) {
    pthread_t thread;
    if (count > 1 && strncmp(arguments[1], "handled", 7) == 0) {
        signal(SIGSEGV, on_signal);
        const int caught = sigsetjmp(back, 1);
        if (caught == 0) die(strcmp(arguments[1], "handled lock") == 0 ? "lock" : "segv");
        printf("caught %d\n", caught);
        return 0;
    }
    pthread_create(&thread, NULL, die, count > 1 ? arguments[1] : "segv");
    pthread_join(thread, NULL);
    return 0;
}
