/* A thread waits in a loop for a variable on its own stack, whose address another one gets. */
#include <pthread.h>
#include <stddef.h>

static int* where;
static void* waits(void* a) {
    int mine = 0;
    __atomic_store_n(&where, &mine, __ATOMIC_SEQ_CST);
    while (!__atomic_load_n(&mine, __ATOMIC_SEQ_CST)) {
    }
    return a;
}
static void* wakes(void* a) {
    int* his;
    while ((his = __atomic_load_n(&where, __ATOMIC_SEQ_CST)) == NULL) {
    }
    __atomic_store_n(his, 1, __ATOMIC_SEQ_CST);
    return a;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, waits, NULL);
    pthread_create(&t[1], NULL, wakes, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
