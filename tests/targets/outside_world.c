// What must be the same in every run: time, random numbers, ids, input.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void* show(void* unused) {
    unsigned char bytes[4] = {0};
    getrandom(bytes, sizeof bytes, 0);
    printf("thread tid %d random %02x%02x%02x%02x\n", gettid() - getpid(), bytes[0], bytes[1], bytes[2],
           bytes[3]);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct timespec before, after;
    struct timeval day;
    char line[64] = "";
    clock_gettime(CLOCK_MONOTONIC, &before);
    sleep(3600);
    usleep(500);
    clock_gettime(CLOCK_MONOTONIC, &after);
    gettimeofday(&day, NULL);
    printf("slept %ld day %ld time %ld\n", (long)(after.tv_sec - before.tv_sec), (long)day.tv_sec,
           (long)time(NULL));
    printf("pid %d tid %d cpus %d address %p\n", getpid(), gettid(), (int)sysconf(_SC_NPROCESSORS_ONLN) > 0,
           (void*)&line);
    while (fgets(line, sizeof line, stdin)) printf("line %s", line);
    pthread_create(&thread, NULL, show, NULL);
    pthread_join(thread, NULL);
    fprintf(stderr, "to standard error\n");
    return 0;
}
