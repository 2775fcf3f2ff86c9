// Every kind of mutex and every way to lock it, in one thread: prints what the calls return.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t recursive_static = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void show(int result) { printf("%d\n", result); }

static void* lock_and_die(void* mutex) {
    pthread_mutex_lock(mutex);
    return NULL;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutex_t checking, recursive, robust, plain;
    struct timespec soon;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checking, &attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_NORMAL);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attributes);
    pthread_mutex_init(&plain, NULL);
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec = 0;

    show(pthread_mutex_unlock(&checking) == EPERM);
    show(pthread_mutex_lock(&checking));
    show(pthread_mutex_lock(&checking) == EDEADLK);
    show(pthread_mutex_unlock(&checking));
    show(pthread_mutex_lock(&recursive));
    show(pthread_mutex_lock(&recursive));
    show(pthread_mutex_unlock(&recursive));
    show(pthread_mutex_unlock(&recursive));
    show(pthread_mutex_lock(&recursive_static));
    show(pthread_mutex_trylock(&recursive_static));
    show(pthread_mutex_unlock(&recursive_static));
    show(pthread_mutex_unlock(&recursive_static));
    show(pthread_mutex_lock(&plain));
    show(pthread_mutex_trylock(&plain) == EBUSY);
    show(pthread_mutex_timedlock(&plain, &soon) == ETIMEDOUT);
    clock_gettime(CLOCK_MONOTONIC, &soon);
    soon.tv_nsec = 0;
    show(pthread_mutex_clocklock(&plain, CLOCK_MONOTONIC, &soon) == ETIMEDOUT);
    show(pthread_mutex_unlock(&plain));

    pthread_t thread;
    pthread_create(&thread, NULL, lock_and_die, &robust);
    pthread_join(thread, NULL);
    show(pthread_mutex_lock(&robust) == EOWNERDEAD);
    show(pthread_mutex_consistent(&robust));
    show(pthread_mutex_unlock(&robust));
    show(pthread_mutex_destroy(&checking));
    show(pthread_mutex_destroy(&recursive));
    show(pthread_mutex_destroy(&robust));
    show(pthread_mutex_destroy(&plain));
    return 0;
}
