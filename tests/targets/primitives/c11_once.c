// Two C11 once routines that need each other's result.
#include <threads.h>

static once_flag left = ONCE_FLAG_INIT;
static once_flag right = ONCE_FLAG_INIT;

static int made;

static void nothing(void) {}

static void make_left(void) {
    call_once(&right, nothing);  // BUG
    made += 1;
}

static void make_right(void) {
#ifndef FIXED
    call_once(&left, nothing);
#endif
    made += 1;
}

static int go_right(void* unused) {
    (void)unused;
    call_once(&right, make_right);
    return 0;
}

int main(void) {
    thrd_t other;
    thrd_create(&other, go_right, NULL);
    call_once(&left, make_left);
    thrd_join(other, NULL);
    return 0;
}
