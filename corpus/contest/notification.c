// ConTest, third experiment: threads wait, yielding, until they are notified, and then print the subject; but the notice
// is given before the subject is set.
// A data race and nothing else. One preemption: the main thread between notice and subject.
// Fixed: subject and notice are changed together, under a lock, and waited for on a condition.
#include <assert.h>
#include <sched.h>

#include "corpus/threads.h"

struct Subject {
    int current_value;
};

static struct Subject the_subject = {42};
static volatile int notified;  // volatile: every access in the source is one in the program
static struct Subject* volatile subject;
#ifdef FIXED
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
#endif

static void change_notification(struct Subject* new_subject) {
#ifdef FIXED
    pthread_mutex_lock(&mutex);
    subject = new_subject;
    notified = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
#else
    notified = 1;
    subject = new_subject;
#endif
}

static struct Subject* wait_for_subject(void) {
#ifdef FIXED
    pthread_mutex_lock(&mutex);
    while (!notified) pthread_cond_wait(&changed, &mutex);
    struct Subject* current = subject;
    pthread_mutex_unlock(&mutex);
    return current;
#else
    while (!notified) sched_yield();
    return subject;
#endif
}

static void* run(void* unused) {
    const struct Subject* current = wait_for_subject();
    assert(current != NULL);  // BUG
    printf("subject current value is: %d\n", current->current_value);
    return unused;
}

// notification [THREADS]
int main(int count, char** arguments) {
    const int waiters = number_argument(count, arguments, 1, 2, 1, most_threads);
    pthread_t threads[most_threads];
    start_threads(threads, waiters, run);
    change_notification(&the_subject);
    join_threads(threads, waiters);
    return 0;
}
