// Read-write locks: return values in one thread, then two readers and a writer.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void show(int result) { printf("%d\n", result); }

static void* read_value(void* result) {
    pthread_rwlock_rdlock(&lock);
    *(int*)result = value == 0 || value == 5;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static void* write_value(void* unused) {
    (void)unused;
    pthread_rwlock_wrlock(&lock);
    value = 5;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    int first = 0, second = 0;
    show(pthread_rwlock_rdlock(&lock));
    show(pthread_rwlock_tryrdlock(&lock));
    show(pthread_rwlock_trywrlock(&lock) == EBUSY);
    show(pthread_rwlock_unlock(&lock));
    show(pthread_rwlock_unlock(&lock));
    show(pthread_rwlock_wrlock(&lock));
    show(pthread_rwlock_tryrdlock(&lock) == EBUSY);
    show(pthread_rwlock_rdlock(&lock) == EDEADLK);
    show(pthread_rwlock_unlock(&lock));
    pthread_create(&threads[0], NULL, read_value, &first);
    pthread_create(&threads[1], NULL, write_value, NULL);
    pthread_create(&threads[2], NULL, read_value, &second);
    for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
    printf("%d %d %d\n", first, second, value);
    return pthread_rwlock_destroy(&lock);
}
