// Threads that allocate, print and pass heap objects around: libc's own locks are contended.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Shared {
    pthread_mutex_t mutex;
    char* text;
};

static void* work(void* argument) {
    struct Shared* shared = argument;
    for (int i = 0; i < 3; ++i) {
        char* mine = malloc(100);
        strcpy(mine, "text");
        pthread_mutex_lock(&shared->mutex);
        free(shared->text);
        shared->text = mine;
        pthread_mutex_unlock(&shared->mutex);
        printf("written\n");
        fflush(stdout);
    }
    return NULL;
}

int main(void) {
    struct Shared* shared = calloc(1, sizeof *shared);
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, shared);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    printf("%s\n", shared->text);
    free(shared->text);
    free(shared);
    return 0;
}
