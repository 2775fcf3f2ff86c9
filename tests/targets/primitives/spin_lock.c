// Two spin locks in two orders.
#include <pthread.h>

static pthread_spinlock_t left, right;

static void* go(void* unused) {
    (void)unused;
    pthread_spin_lock(&left);
    pthread_spin_lock(&right);  // BUG
    pthread_spin_unlock(&right);
    pthread_spin_unlock(&left);
    return NULL;
}

int main(void) {
    pthread_spin_init(&left, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_init(&right, PTHREAD_PROCESS_PRIVATE);
    pthread_t other;
    pthread_create(&other, NULL, go, NULL);
#ifdef FIXED
    pthread_spin_lock(&left);
    pthread_spin_lock(&right);
#else
    pthread_spin_lock(&right);
    pthread_spin_lock(&left);
#endif
    pthread_spin_unlock(&right);
    pthread_spin_unlock(&left);
    pthread_join(other, NULL);
    pthread_spin_destroy(&left);
    pthread_spin_destroy(&right);
    return 0;
}
