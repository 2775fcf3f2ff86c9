/* Two threads each add one with the value read before, under the lock both times: one addition can get lost. Writes the
 * sum; exits with 3 if an argument is given and the sum is wrong. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void* add(void* argument) {
    pthread_mutex_lock(&mutex);
    const int seen = sum;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    sum = seen + 1;
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(int argc, char** argv) {
    (void)argv;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%d\n", sum);
    return argc > 1 && sum != 2 ? 3 : 0;
}
