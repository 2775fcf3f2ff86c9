// Cooperari, section 3.2.1 and table 5.1; ConTest, "Dining philosophers and deadlock detection": everybody takes the left
// fork and then the right one.
// One preemption, however many they are: the last one between its forks. The one to the left of it takes a fork and
// runs into that one, which costs nothing, and so on around the table.
// Fixed: the last one takes the right fork first.
#include <assert.h>

#include "corpus/threads.h"

static pthread_mutex_t forks[most_threads];
static int has_thought[most_threads];
static int has_eaten[most_threads];
static int philosophers;

static void* dine(void* number) {
    const int me = (int)(long)number;
    const int right = (me + 1) % philosophers;
#ifdef FIXED
    const int first = me < right ? me : right;
#else
    const int first = me;
#endif
    const int second = me + right - first;
    has_thought[me] = 1;
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);  // BUG
    has_eaten[me] = 1;
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
    return NULL;
}

// dining_philosophers [COUNT]
int main(int count, char** arguments) {
    philosophers = number_argument(count, arguments, 1, 3, 2, most_threads);
    for (int i = 0; i < philosophers; ++i) pthread_mutex_init(&forks[i], NULL);
    run_threads(philosophers, dine);
    for (int i = 0; i < philosophers; ++i) assert(has_thought[i] && has_eaten[i]);
    return 0;
}
