// main waits in a loop for a flag that nobody sets; with the argument block, for something that could come from outside;
// with the argument work, it counts for ever.
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>

static volatile int flag;
static volatile unsigned long counter;

int main(int count, char** arguments) {
    int ends[2];
    char byte;
    if (count > 1 && strcmp(arguments[1], "block") == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0)
        return (int)recv(ends[0], &byte, 1, 0);
    while (count > 1) counter++;
    while (!flag) {
    }
    return 0;
}
