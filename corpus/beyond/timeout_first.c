// A wait with a time limit says that the time is up although what was waited for has come: it came after the limit and
// before the waiting thread had its mutex again. Who believes the return value alone throws the message away.
// It needs time limits that run out while others can still run (--timeouts explore). No preemption: the time runs out,
// the sender has the mutex first.
// Fixed: the state decides, not the return value.
#include <assert.h>
#include <time.h>

#include "corpus/threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int has_message;

// Whether there was a message.
static int receive(void) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 1;
    int result = 0;
    pthread_mutex_lock(&mutex);
    while (!has_message && result == 0) result = pthread_cond_timedwait(&changed, &mutex, &limit);
#ifdef FIXED
    const int received = has_message;
#else
    const int received = result == 0;
#endif
    assert(received == has_message);  // BUG
    has_message = 0;
    pthread_mutex_unlock(&mutex);
    return received;
}

static void send_message(void) {
    pthread_mutex_lock(&mutex);
    has_message = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
}

static void* run(void* number) {
    if (number == NULL) {
        receive();
    } else {
        send_message();
    }
    return NULL;
}

int main(void) {
    run_threads(2, run);
    return 0;
}
