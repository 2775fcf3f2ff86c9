// The ways a process can end with threads around.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_key_t key;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void locked_message(const char* text) {
    pthread_mutex_lock(&mutex);
    puts(text);
    pthread_mutex_unlock(&mutex);
}
static void destroy_key(void* text) { locked_message(text); }
static void at_exit(void) { locked_message("atexit"); }

static void* run(void* how) {
    pthread_setspecific(key, "key destroyed");
    if (strcmp(how, "exit_from_thread") == 0) exit(3);
    if (strcmp(how, "pthread_exit_main") == 0) locked_message("thread after main");
    if (strcmp(how, "return_from_main") == 0)
        for (;;) sleep(1);
    return NULL;
}

int main(int count, char** arguments) {
    const char* how = count > 1 ? arguments[1] : "join";
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (strcmp(how, "detached") == 0) pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_key_create(&key, destroy_key);
    atexit(at_exit);
    pthread_create(&thread, &attributes, run, (void*)how);
    if (strcmp(how, "detach") == 0) pthread_detach(thread);
    if (strcmp(how, "join") == 0) pthread_join(thread, NULL);
    if (strcmp(how, "exit_from_thread") == 0) pthread_join(thread, NULL);
    if (strcmp(how, "pthread_exit_main") == 0) pthread_exit(NULL);
    if (strcmp(how, "immediately") == 0) _exit(5);
    return 0;
}
