// poll, select and epoll_wait as ways to sleep: half a minute each, by the program's own clock.
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

static void* sleep_long(void* unused) {
    struct timeval half_a_minute = {30, 0};
    struct epoll_event event;
    poll(NULL, 0, 30000);
    select(0, NULL, NULL, NULL, &half_a_minute);
    printf("epoll_wait %d\n", epoll_wait(epoll_create1(0), &event, 1, 30000));
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    pthread_create(&thread, NULL, sleep_long, NULL);
    pthread_join(thread, NULL);
    clock_gettime(CLOCK_MONOTONIC, &after);
    printf("slept %ld\n", (long)(after.tv_sec - before.tv_sec));
    return 0;
}
