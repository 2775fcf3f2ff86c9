// main waits in a loop for a flag that nobody sets; with an argument, for something that could come from outside.
#include <pthread.h>
#include <sys/socket.h>

static volatile int flag;

int main(int count, char** arguments) {
    (void)arguments;
    int ends[2];
    char byte;
    if (count > 1 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0) return (int)recv(ends[0], &byte, 1, 0);
    while (!flag) {
    }
    return 0;
}
