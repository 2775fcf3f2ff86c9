// Two once routines that need each other's result.
#include <pthread.h>

static pthread_once_t left = PTHREAD_ONCE_INIT;
static pthread_once_t right = PTHREAD_ONCE_INIT;

static int made;

static void nothing(void) {}

static void make_left(void) {
    pthread_once(&right, nothing);  // BUG
    made += 1;
}

static void make_right(void) {
#ifndef FIXED
    pthread_once(&left, nothing);
#endif
    made += 1;
}

static void* go_right(void* unused) {
    (void)unused;
    pthread_once(&right, make_right);
    return NULL;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, go_right, NULL);
    pthread_once(&left, make_left);
    pthread_join(other, NULL);
    return 0;
}
