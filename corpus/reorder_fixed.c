// reorder with the data first.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int a, b;

static void set(int* variable, int value) {
    pthread_mutex_lock(&mutex);
    *variable = value;
    pthread_mutex_unlock(&mutex);
}

static void* publish(void* unused) {
    set(&a, 1);
    set(&b, 1);
    return unused;
}

static void* check(void* unused) {
    pthread_mutex_lock(&mutex);
    // b is the sign that a is there.
    assert(!b || a);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t publisher, checker;
    pthread_create(&publisher, NULL, publish, NULL);
    pthread_create(&checker, NULL, check, NULL);
    pthread_join(publisher, NULL);
    pthread_join(checker, NULL);
    return 0;
}
