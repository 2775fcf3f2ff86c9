/* What a program can tell coopcheck. For C and C++; needs nothing but this file and x86-64 Linux.
 *
 *   coopcheck_assert(condition, "message")   the run fails here if the condition is false
 *   coopcheck_choose(n)                      any of 0 ... n-1: coopcheck tries them all; 0 without coopcheck
 *   coopcheck_yield()                        here other threads should have a turn
 *   coopcheck_region_begin(), _end()         only what is in between is to be explored
 *
 * Without coopcheck (no variable COOPCHECK in the environment) all of them do nothing, except that
 * coopcheck_assert with a false condition prints its message and aborts. */
#ifndef COOPCHECK_H
#define COOPCHECK_H

#include <stdio.h>
#include <stdlib.h>

/* A system call that no kernel has: coopcheck answers it, the kernel would say ENOSYS. */
static inline long coopcheck_request(long request, long first, long second, long third) {
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(request), "D"(first), "S"(second), "d"(third)
                     : "rcx", "r11", "memory");
    return result;
}

static inline int coopcheck_is_here(void) {
    static int known; /* 0: not looked yet; the same answer for all threads, so that a race does not matter */
    int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (answer == 0) {
        answer = getenv("COOPCHECK") != NULL ? 1 : 2;
        __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
    }
    return answer == 1;
}

static inline void coopcheck_assert_at(int condition, const char* message, const char* file, int line) {
    if (condition) return;
    if (coopcheck_is_here()) coopcheck_request(7700, (long)message, (long)file, line);
    fprintf(stderr, "%s:%d: %s\n", file, line, message);
    abort();
}
#define coopcheck_assert(condition, message) coopcheck_assert_at(!!(condition), (message), __FILE__, __LINE__)

static inline int coopcheck_choose(int count) {
    return coopcheck_is_here() && count > 1 ? (int)coopcheck_request(7701, count, 0, 0) : 0;
}

static inline void coopcheck_yield(void) {
    if (coopcheck_is_here()) coopcheck_request(7702, 0, 0, 0);
}

static inline void coopcheck_region_begin(void) {
    /* A section by this name tells coopcheck to wait for the region. */
    __asm__ volatile(".pushsection coopcheck_region,\"a\",@progbits\n.byte 1\n.popsection");
    if (coopcheck_is_here()) coopcheck_request(7703, 0, 0, 0);
}

static inline void coopcheck_region_end(void) {
    if (coopcheck_is_here()) coopcheck_request(7704, 0, 0, 0);
}

#endif
