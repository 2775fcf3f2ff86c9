// What most programs of the corpus do: read a number from the command line, run threads, wait for them.
#pragma once

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { most_threads = 64 };

// The nth argument, or `usual` if it is not there. Ends the program with exit code 2 if it is not within bounds.
static inline int number_argument(int count, char** arguments, int nth, int usual, int least, int most) {
    if (count <= nth) return usual;
    char* end = NULL;
    const long number = strtol(arguments[nth], &end, 10);
    if (end == arguments[nth] || *end != '\0' || number < least || number > most) {
        fprintf(stderr, "argument %d has to be a number from %d to %d\n", nth, least, most);
        exit(2);
    }
    return (int)number;
}

// Starts the threads body(0) to body(count - 1).
static inline void start_threads(pthread_t* threads, int count, void* (*body)(void*)) {
    for (long i = 0; i < count; ++i) {
        if (pthread_create(&threads[i], NULL, body, (void*)i) != 0) abort();
    }
}

static inline void join_threads(pthread_t* threads, int count) {
    for (int i = 0; i < count; ++i) {
        if (pthread_join(threads[i], NULL) != 0) abort();
    }
}

static inline void run_threads(int count, void* (*body)(void*)) {
    pthread_t threads[most_threads];
    start_threads(threads, count, body);
    join_threads(threads, count);
}
