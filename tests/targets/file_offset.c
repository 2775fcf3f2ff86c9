// Two threads read the same file piece by piece, under a lock: who reads what depends on the schedule, all of
// it is read.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char text[64];
static int file, length;

static void* read_some(void* name) {
    for (int i = 0; i < 4; ++i) {
        pthread_mutex_lock(&mutex);
        text[length++] = *(char*)name;
        length += (int)read(file, text + length, 2);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(int count, char** arguments) {
    pthread_t first, second;
    if (count < 2) return 2;
    file = open(arguments[1], O_RDONLY);
    pthread_create(&first, NULL, read_some, "A");
    pthread_create(&second, NULL, read_some, "B");
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    puts(text);
    return 0;
}
