// Main accesses a racy flag before there is another thread, beside it, and when it is alone again. alone
// endless: it waits there for what nobody does.
#include <pthread.h>
#include <string.h>

static volatile int flag;

static void* set(void* unused) {
    flag = 1;
    return unused;
}

int main(int count, char** arguments) {
    pthread_t other;
    flag = count;
    flag = 0;
    pthread_create(&other, NULL, set, NULL);
    flag = 2;
    pthread_join(other, NULL);
    flag += 1;
    const int is_endless = count > 1 && strcmp(arguments[1], "endless") == 0;
    while (is_endless && flag != 4) {
    }
    return 0;
}
