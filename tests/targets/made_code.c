// made_code mmap|mprotect: reads the time stamp counter by code that it makes itself.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

// rdtsc; shl $32,%rdx; or %rdx,%rax; ret
static const unsigned char code[] = {0x0f, 0x31 ^ 0xff, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0, 0xc3};

static void* nothing(void* argument) { return argument; }

int main(int count, char** arguments) {
    enum { size = 4096 };
    pthread_t thread;
    if (count < 2) return 2;
    pthread_create(&thread, NULL, nothing, NULL);
    const int at_once = strcmp(arguments[1], "mmap") == 0;
    const int protection = PROT_READ | PROT_WRITE | (at_once ? PROT_EXEC : 0);
    unsigned char* place = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) return 1;
    memcpy(place, code, sizeof code);
    place[1] ^= 0xff;  // so that it cannot be found in the file
    if (!at_once && mprotect(place, size, PROT_READ | PROT_EXEC) != 0) return 1;
    unsigned long long (*read_counter)(void) = (unsigned long long (*)(void))place;
    const unsigned long long first = read_counter();
    const unsigned long long second = read_counter();
    printf("%d %llx %llx\n", second > first, first, second);
    pthread_join(thread, NULL);
    return 0;
}
