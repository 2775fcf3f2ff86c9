// Cooperari, table 5.1: Alarm Clock. Every method of the list of alarms is synchronized, but the clock asks it twice:
// whether there is an alarm that is due, and for that alarm; somebody who presses snooze in between makes the second
// answer a null pointer. With two threads (the clock and a sleeper) nobody presses snooze, and nothing is wrong.
// One preemption: the clock between its two questions.
// Fixed: one question.
#include "corpus/threads.h"

struct Alarm {
    int due;
    int rung;
    int listed;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct Alarm alarms[most_threads];
static int now;
static int threads;

// To be called with the mutex.
static struct Alarm* first_due(void) {
    for (int i = 0; i < threads; ++i) {
        if (alarms[i].listed && alarms[i].due <= now) return &alarms[i];
    }
    return NULL;
}

#ifndef FIXED
static int is_one_due(void) {
    pthread_mutex_lock(&mutex);
    const int is_due = first_due() != NULL;
    pthread_mutex_unlock(&mutex);
    return is_due;
}
#endif

static struct Alarm* get_due(void) {
    pthread_mutex_lock(&mutex);
    struct Alarm* alarm = first_due();
    pthread_mutex_unlock(&mutex);
    return alarm;
}

static void ring(struct Alarm* alarm) {
    pthread_mutex_lock(&mutex);
    alarm->rung = 1;  // BUG
    alarm->listed = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void* sleep_until_it_rings(void* number) {
    struct Alarm* alarm = &alarms[(long)number];
    pthread_mutex_lock(&mutex);
    alarm->due = now + 1;
    alarm->listed = 1;
    pthread_cond_broadcast(&changed);
    while (!alarm->rung) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void* press_snooze(void* unused) {
    pthread_mutex_lock(&mutex);
    struct Alarm* alarm = first_due();
    if (alarm != NULL) alarm->due = now + 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

// Goes on as long as there is somebody to be woken.
static void* tick(void* unused) {
    int left = threads / 2;
    while (left > 0) {
        pthread_mutex_lock(&mutex);
        int listed = 0;
        while (listed == 0) {
            for (int i = 0; i < threads; ++i) listed += alarms[i].listed;
            if (listed == 0) pthread_cond_wait(&changed, &mutex);
        }
        now += 1;
        pthread_mutex_unlock(&mutex);
#ifdef FIXED
        struct Alarm* alarm = get_due();
        if (alarm != NULL) {
            ring(alarm);
            left -= 1;
        }
#else
        if (is_one_due()) {
            ring(get_due());
            left -= 1;
        }
#endif
    }
    return unused;
}

static void* run(void* number) {
    if (number == NULL) return tick(number);
    return (long)number % 2 == 1 ? sleep_until_it_rings(number) : press_snooze(number);
}

// alarm_clock [THREADS]: the clock, then sleepers and those who press snooze in turn
int main(int count, char** arguments) {
    threads = number_argument(count, arguments, 1, 4, 2, most_threads);
    run_threads(threads, run);
    return 0;
}
