// What the kernel, and libc where it looks through texts, does to memory of the program. Says first what that
// is: address, size and direction of each access, in the order in which they are made.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static struct stat description;
static struct utsname names;
static struct timespec now;
static char folder[256];
static char first[8], second[8];
static struct iovec pieces[2] = {{first, 8}, {second, 8}};
static char written[16] = "text\n";
static char random_bytes[8];
static int ends[2];
static char path[] = "/";
static char text[] = "a text that is longer than the widest vector of any processor that is known to this day, surely";
static volatile size_t length;

static void* work(void* argument) {
    const int file = open("/proc/self/exe", O_RDONLY);
    fstat(file, &description);
    uname(&names);
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (readv(file, pieces, 2) != 16) return argument;
    if (getrandom(random_bytes, sizeof random_bytes, 0) != sizeof random_bytes) return argument;
    if (pipe(ends) != 0) return argument;
    if (chdir(path) != 0 || getcwd(folder, sizeof folder) == NULL) return argument;
    length = strlen(text);
    if (write(1, written, 5) != 5) return argument;
    return argument;
}

static void expect(const void* address, size_t size, const char* how) {
    printf("%p %zu %s\n", address, size, how);
}

int main(void) {
    pthread_t thread;
    expect(&description, sizeof description, "w");
    expect(&names, sizeof names, "w");
    expect(&now, sizeof now, "w");
    expect(pieces, sizeof pieces, "r");
    expect(first, sizeof first, "w");
    expect(second, sizeof second, "w");
    expect(random_bytes, sizeof random_bytes, "w");
    expect(ends, sizeof ends, "w");
    expect(path, sizeof path, "r");
    expect(folder, 2, "w");
    expect(text, 1, "r");
    expect(written, 5, "r");
    fflush(stdout);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
