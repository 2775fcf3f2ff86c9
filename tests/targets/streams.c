// Standard output closed, copied, replaced and brought back.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void say(int file, const char* text) {
    if (write(file, text, strlen(text)) < 0) (void)!write(2, "bad\n", 4);
}

static void* nothing(void* argument) { return argument; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    const int copy = dup(1);
    const int other = fcntl(1, F_DUPFD, 100);
    say(copy, "copy\n");
    say(other, other == 100 ? "hundred\n" : "other\n");
    close(1);
    say(1, "nowhere\n");
    const int file = open("/dev/null", O_WRONLY);
    say(file, "to the file\n");
    say(2, file == 1 ? "one\n" : "not one\n");
    dup2(copy, 1);
    say(1, "back\n");
    dup2(1, 2);
    say(2, "two\n");
    pthread_join(thread, NULL);
    return 0;
}
