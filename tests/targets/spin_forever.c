// main waits in a loop for a flag that nobody sets; with an argument, in a system call.
#include <pthread.h>
#include <unistd.h>

static volatile int flag;

int main(int count, char** arguments) {
    (void)arguments;
    int ends[2];
    char byte;
    if (count > 1 && pipe(ends) == 0) return (int)read(ends[0], &byte, 1);
    while (!flag) {
    }
    return 0;
}
