// System calls by which threads can synchronize and that are not modelled: which one is the argument.
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char** arguments) {
    if (count != 2) return 2;
    syscall(atol(arguments[1]), NULL, 0, 0, 0, 0);
    return 0;
}
