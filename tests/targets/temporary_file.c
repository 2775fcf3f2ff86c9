// Makes a file that must not be there yet, and removes it only at its end.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void* nothing(void* argument) { return argument; }

int main(int count, char** arguments) {
    pthread_t thread;
    char text[6] = "";
    if (count < 2) return 1;
    const int file = open(arguments[1], O_CREAT | O_EXCL | O_RDWR, 0600);
    if (file < 0) {
        puts("somebody was here");
        return 2;
    }
    pthread_create(&thread, NULL, nothing, NULL);
    if (write(file, "hello", 5) != 5) return 1;
    pthread_join(thread, NULL);
    if (pread(file, text, 5, 0) != 5) return 1;
    puts(text);
    unlink(arguments[1]);
    return 0;
}
