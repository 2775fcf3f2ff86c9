// All kinds of timers, each an hour long.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static sem_t expired;
static volatile sig_atomic_t alarms;

static void on_alarm(int signal) { alarms += signal == SIGALRM; }
static void on_expiry(union sigval value) {
    printf("timer %d\n", value.sival_int);
    sem_post(&expired);
}

static void* watch(void* unused) {
    const struct itimerspec hour = {.it_value = {3600, 0}};
    uint64_t times = 0;
    const int file = timerfd_create(CLOCK_MONOTONIC, 0);
    timerfd_settime(file, 0, &hour, NULL);
    if (read(file, &times, sizeof times) != sizeof times) return unused;
    printf("timerfd %d\n", (int)times);
    return unused;
}

int main(void) {
    pthread_t thread;
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_expiry};
    const struct itimerspec hour = {.it_value = {3600, 0}};
    struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &action, NULL);
    alarm(3600);
    pause();
    printf("alarms %d\n", alarms);
    alarm(3600);
    printf("slept %d\n", sleep(7200) >= 3599 && alarms == 2);
    const struct itimerval long_time = {.it_value = {3600, 0}};
    setitimer(ITIMER_REAL, &long_time, NULL);
    sem_init(&expired, 0, 0);
    printf("sem_wait %d", sem_wait(&expired));
    printf(" %d\n", errno == EINTR && alarms == 3);
    event.sigev_value.sival_int = 42;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &hour, NULL);
    sem_wait(&expired);
    pthread_create(&thread, NULL, watch, NULL);
    pthread_join(thread, NULL);
    return 0;
}
