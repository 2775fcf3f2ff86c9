/* Looks for a debugger as test frameworks do, in a thread as well, by each of the names of the file. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int tracer_in(const char* path) {
    FILE* file = fopen(path, "r");
    assert(file != NULL);
    char line[256];
    int tracer = -1;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "TracerPid:", 10) == 0) sscanf(line + 10, "%d", &tracer);
    }
    fclose(file);
    return tracer;
}

static void* look(void* argument) {
    assert(tracer_in("/proc/thread-self/status") == 0);
    return argument;
}

int main(void) {
    assert(tracer_in("/proc/self/status") == 0);
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", (int)getpid());
    assert(tracer_in(path) == 0);
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    pthread_join(thread, NULL);
    return 0;
}
