// Touches MEGABYTES of memory (the argument), then two threads write to a good part of it again under a lock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { page = 4096, sections = 4 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned char* memory;
static size_t size;

static void* work(void* unused) {
    for (int i = 0; i < sections; ++i) {
        pthread_mutex_lock(&mutex);
        for (size_t at = 0; at < size / 16; at += page) ++memory[at];
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(int argc, char** argv) {
    size = (argc > 1 ? strtoul(argv[1], NULL, 10) : 1) << 20;
    memory = malloc(size);
    if (memory == NULL) return 1;
    for (size_t at = 0; at < size; at += page) memory[at] = 1;
    pthread_t first, second;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    size_t sum = 0;
    for (size_t at = 0; at < size; at += page) sum += memory[at];
    printf("%zu\n", sum);
    return 0;
}
