// A thread that ends itself is not cancelled any more: not even in the cancellation points of its clean-up handlers.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t cancelled, token;

static void take_token(void* unused) {
    (void)unused;
    sem_wait(&token);
}

static void* work(void* unused) {
    (void)unused;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    sem_wait(&cancelled);
    pthread_cleanup_push(take_token, NULL);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    pthread_exit(NULL);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void) {
    sem_init(&cancelled, 0, 0);
    sem_init(&token, 0, 1);
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    // Before its first cancellation point it has disabled cancellation, so it does not matter when this comes.
    pthread_cancel(worker);
    sem_post(&cancelled);
    pthread_join(worker, NULL);
    int left = -1;
    sem_getvalue(&token, &left);
    printf("%d left\n", left);
    return 0;
}
