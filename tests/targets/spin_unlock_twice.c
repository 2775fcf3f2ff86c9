// A spin lock that is begun anew, or given back twice ("twice"): glibc has one function for both.
#include <pthread.h>

static pthread_spinlock_t lock;

static void* use(void* unused) {
    (void)unused;
    pthread_spin_lock(&lock);
    pthread_spin_unlock(&lock);
    return NULL;
}

int main(int count, char** arguments) {
    (void)arguments;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_t other;
    pthread_create(&other, NULL, use, NULL);
    pthread_join(other, NULL);
    if (count == 1) {
        pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    } else {
        pthread_spin_unlock(&lock);
    }
    use(NULL);
    return 0;
}
