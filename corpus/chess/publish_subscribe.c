// CHESS: a publish-subscribe channel with bugs of different depths. A publisher sends one message to all subscribers.
//   0  who subscribes too late waits for a message that has been sent. No preemption.
//   1  the publisher takes the list of subscribers and then sends; one that has left in between gets a message.
//      One preemption, of the publisher.
//   2  leaving is two steps, closing and closed; a publisher does not begin to send to one that is closing, but it may
//      find one when it has begun. Two preemptions: the publisher between list and sending, the subscriber between
//      its steps.
// Fixed: the last message is kept for late subscribers; list and sending, closing and closed are one section each.
#include <assert.h>

#include "corpus/threads.h"

enum State { absent, open, closing, closed };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static enum State states[most_threads];
static int received[most_threads];
static int published;
static int subscribers;
static int bug;

static void between_sections(void) {
#ifndef FIXED
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
#endif
}

static void publish(void) {
    int listed[most_threads];
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < subscribers; ++i) listed[i] = states[i] == open;
#ifdef FIXED
    published = 1;
#endif
    if (bug > 0) between_sections();
    for (int i = 0; i < subscribers; ++i) {
        if (!listed[i]) continue;
        if (bug == 1) assert(states[i] != closed);   // BUG 1
        if (bug == 2) assert(states[i] != closing);  // BUG 2
        if (states[i] == open) received[i] = 1;
    }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void subscribe(int me) {
    pthread_mutex_lock(&mutex);
    states[me] = open;
    received[me] = published;
    pthread_mutex_unlock(&mutex);
}

static void await_message(int me) {
    pthread_mutex_lock(&mutex);
    while (!received[me]) pthread_cond_wait(&changed, &mutex);  // BUG 0
    pthread_mutex_unlock(&mutex);
}

static void leave(int me) {
    pthread_mutex_lock(&mutex);
    if (bug == 2) {
        states[me] = closing;
        between_sections();
    }
    states[me] = closed;
    pthread_mutex_unlock(&mutex);
}

static void* run(void* number) {
    const int me = (int)(long)number;
    if (me == subscribers) {
        publish();
        return NULL;
    }
    if (bug == 0) {
        subscribe(me);
        await_message(me);
    }
    leave(me);
    return NULL;
}

// publish_subscribe BUG [THREADS]: the last thread publishes
int main(int count, char** arguments) {
    bug = number_argument(count, arguments, 1, 0, 0, 2);
    subscribers = number_argument(count, arguments, 2, 2, 2, most_threads) - 1;
    // Of bugs 1 and 2 everybody has subscribed before it begins.
    if (bug > 0) {
        for (int i = 0; i < subscribers; ++i) states[i] = open;
    }
    run_threads(subscribers + 1, run);
    return 0;
}
