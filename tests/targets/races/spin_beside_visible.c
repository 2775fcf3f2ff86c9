/* A thread waits in a loop for memory that nobody else has accessed yet, beside memory that all access. */
#include <pthread.h>
#include <stddef.h>

static int turn;        /* visible: both access it atomically in the first schedule */
static int mine[2];     /* in the same page; the other's is only accessed when somebody is interrupted */
static void* run(void* number) {
    const long me = (long)number;
    if (__atomic_exchange_n(&turn, 1, __ATOMIC_SEQ_CST) != 0) {
        while (!__atomic_load_n(&mine[me], __ATOMIC_SEQ_CST)) {
        }
    }
    if (__atomic_exchange_n(&turn, 0, __ATOMIC_SEQ_CST) != 0) __atomic_store_n(&mine[1 - me], 1, __ATOMIC_SEQ_CST);
    return NULL;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, run, (void*)0);
    pthread_create(&t[1], NULL, run, (void*)1);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
