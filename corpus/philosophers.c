// Dining philosophers who all take the left fork first: they can starve together. See philosophers_fixed.
#include <pthread.h>
#include <stdlib.h>

enum { most = 16 };
static pthread_mutex_t forks[most];
static int philosophers = 3;
static int meals[most];

static void* dine(void* seat) {
    const int me = (int)(long)seat;
    const int first = me;
    const int second = (me + 1) % philosophers;
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    meals[me] += 1;
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
    return NULL;
}

// philosophers [COUNT]
int main(int count, char** arguments) {
    pthread_t threads[most];
    if (count > 1) philosophers = atoi(arguments[1]);
    if (philosophers < 2 || philosophers > most) return 2;
    for (int i = 0; i < philosophers; ++i) pthread_mutex_init(&forks[i], NULL);
    for (long i = 0; i < philosophers; ++i) pthread_create(&threads[i], NULL, dine, (void*)i);
    for (int i = 0; i < philosophers; ++i) pthread_join(threads[i], NULL);
    return 0;
}
