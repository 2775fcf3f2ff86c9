// The processor's own clock, and random numbers out of files.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <x86intrin.h>

static void* nothing(void* argument) { return argument; }

int main(void) {
    pthread_t thread;
    unsigned processor = 0;
    unsigned long bytes[2] = {0};
    pthread_create(&thread, NULL, nothing, NULL);
    const unsigned long long first = __rdtsc();
    const unsigned long long second = __rdtscp(&processor);
    const int file = open("/dev/urandom", O_RDONLY);
    if (read(file, &bytes[0], sizeof bytes[0]) != sizeof bytes[0]) return 1;
    FILE* stream = fopen("/dev/random", "r");
    if (fread(&bytes[1], sizeof bytes[1], 1, stream) != 1) return 1;
    printf("%d %llx %llx %lx %lx\n", second > first, first, second, bytes[0], bytes[1]);
    pthread_join(thread, NULL);
    return 0;
}
