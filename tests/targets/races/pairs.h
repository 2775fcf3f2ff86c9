/* What the programs about races in C have in common: pairs of a racy and a fixed program, the first argument is the
 * name, the second "racy" or "fixed"; "list" alone prints the names. Two threads run first() and second() of the pair,
 * main runs between() after it has made them and finish() after it has joined them. */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct pair {
    const char* name;
    void (*first)(void);
    void (*second)(void);
    void (*between)(void); /* may be null */
    void (*finish)(void);  /* may be null */
};

static int fixed;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* Every access in the source is one in the program. */
static volatile int x __attribute__((unused));
static _Thread_local volatile int sink __attribute__((unused));

/* Not inlined: a compiler that sees that there may be no lock reads memory before it. */
static __attribute__((noinline, unused)) void lock_if_fixed(void) {
    if (fixed) pthread_mutex_lock(&mutex);
}
static __attribute__((noinline, unused)) void unlock_if_fixed(void) {
    if (fixed) pthread_mutex_unlock(&mutex);
}
static inline void nothing(void) {}

/* Atomic in the fixed program. The store is an exchange, by which it can be told from an ordinary one. */
static inline void set(int* where, int value) {
    if (fixed) {
        __atomic_store_n(where, value, __ATOMIC_SEQ_CST);
    } else {
        *(volatile int*)where = value;
    }
}
static inline int get(int* where) {
    return fixed ? __atomic_load_n(where, __ATOMIC_SEQ_CST) : *(volatile int*)where;
}

static void* run_function(void* function) {
    ((void (*)(void))function)();
    return NULL;
}

static inline void run_pair(const struct pair* pair) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, run_function, (void*)pair->first);
    pthread_create(&threads[1], NULL, run_function, (void*)pair->second);
    if (pair->between != NULL) pair->between();
    for (int nth = 0; nth < 2; nth++) pthread_join(threads[nth], NULL);
    if (pair->finish != NULL) pair->finish();
}

/* What main returns. */
static inline int run_chosen(const struct pair* pairs, size_t count, int argc, char** argv) {
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (size_t i = 0; i < count; i++) puts(pairs[i].name);
        return 0;
    }
    if (argc < 3) return 2;
    fixed = strcmp(argv[2], "fixed") == 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(pairs[i].name, argv[1]) != 0) continue;
        run_pair(&pairs[i]);
        return 0;
    }
    return 2;
}
