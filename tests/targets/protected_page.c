// Both threads write to a page; main then takes the right to write away and writes again, which is a
// segmentation fault of its own.
#include <pthread.h>
#include <sys/mman.h>

static char* page;

static void* write_there(void* unused) {
    page[1] = 1;
    return unused;
}

int main(void) {
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t other;
    pthread_create(&other, NULL, write_there, NULL);
    page[0] = 1;
    pthread_join(other, NULL);
    pthread_create(&other, NULL, write_there, NULL);
    page[0] = 2;
    mprotect(page, 4096, PROT_READ);
    page[0] = 3;
    pthread_join(other, NULL);
    return 0;
}
