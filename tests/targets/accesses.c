/* Accesses memory as its argument says, in a thread of its own: a list of AREA OPERATION OFFSET [OFFSET2] in
 * one word each, separated by commas. Areas: g (global), h (heap), m (mapped), s (the stack of main). Writes
 * the addresses of the areas first. The assembly is written out so that every access is known. */
#define _GNU_SOURCE
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { area_size = 3 * 4096 };
static char global_area[area_size] __attribute__((aligned(4096)));

struct job {
    char* areas[4];
    char script[4000];
};

static void carry_out(const char* operation, char* at, char* other) {
    const unsigned size = (unsigned)atoi(operation + 1);
    switch (operation[0]) {
        case 'r':
            if (size == 1) __asm__ volatile("movb (%0),%%al" ::"r"(at) : "rax");
            if (size == 2) __asm__ volatile("movw (%0),%%ax" ::"r"(at) : "rax");
            if (size == 4) __asm__ volatile("movl (%0),%%eax" ::"r"(at) : "rax");
            if (size == 8) __asm__ volatile("movq (%0),%%rax" ::"r"(at) : "rax");
            if (size == 16) __asm__ volatile("movdqu (%0),%%xmm0" ::"r"(at) : "xmm0");
            if (size == 32) __asm__ volatile("vmovdqu (%0),%%ymm0" ::"r"(at) : "xmm0");
            if (size == 64) __asm__ volatile("vmovdqu64 (%0),%%zmm0" ::"r"(at) : "xmm0");
            break;
        case 'w':
            if (size == 1) __asm__ volatile("movb $1,(%0)" ::"r"(at) : "memory");
            if (size == 2) __asm__ volatile("movw $1,(%0)" ::"r"(at) : "memory");
            if (size == 4) __asm__ volatile("movl $1,(%0)" ::"r"(at) : "memory");
            if (size == 8) __asm__ volatile("movq $1,(%0)" ::"r"(at) : "memory");
            if (size == 16) __asm__ volatile("movdqu %%xmm0,(%0)" ::"r"(at) : "memory");
            if (size == 32) __asm__ volatile("vmovdqu %%ymm0,(%0)" ::"r"(at) : "memory");
            if (size == 64) __asm__ volatile("vmovdqu64 %%zmm0,(%0)" ::"r"(at) : "memory");
            break;
        case 'u': /* read, modify, write */
            if (size == 1) __asm__ volatile("addb $1,(%0)" ::"r"(at) : "memory", "cc");
            if (size == 2) __asm__ volatile("addw $1,(%0)" ::"r"(at) : "memory", "cc");
            if (size == 4) __asm__ volatile("addl $1,(%0)" ::"r"(at) : "memory", "cc");
            if (size == 8) __asm__ volatile("addq $1,(%0)" ::"r"(at) : "memory", "cc");
            break;
        case 'l': /* the same, locked */
            if (size == 4) __asm__ volatile("lock addl $1,(%0)" ::"r"(at) : "memory", "cc");
            if (size == 8) __asm__ volatile("lock xaddq %%rax,(%0)" ::"r"(at) : "rax", "memory", "cc");
            if (size == 16) __asm__ volatile("lock cmpxchg16b (%0)" ::"r"(at) : "rax", "rdx", "memory", "cc");
            break;
        case 'x':
            __asm__ volatile("xchgl %%eax,(%0)" ::"r"(at) : "rax", "memory");
            break;
        case 'c': /* rep movsb of `size` bytes */
        {
            void* from = at;
            void* to = other;
            unsigned long count = size;
            __asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(count)::"memory");
            break;
        }
        case 'q': /* one movsq */
        {
            void* from = at;
            void* to = other;
            __asm__ volatile("movsq" : "+S"(from), "+D"(to)::"memory");
            break;
        }
        case 't': /* rep stosl, downwards */
        {
            void* to = at;
            unsigned long count = size;
            __asm__ volatile("std; rep stosl; cld" : "+D"(to), "+c"(count) : "a"(7) : "memory");
            break;
        }
        case 'f': /* looks for a zero byte, of which all memory is full: one turn */
        {
            void* from = at;
            unsigned long count = size;
            __asm__ volatile("repne scasb" : "+D"(from), "+c"(count) : "a"(0) : "memory", "cc");
            break;
        }
        case 'p': /* push and pop memory */
            __asm__ volatile("sub $128,%%rsp; pushq (%0); popq (%1); add $128,%%rsp" ::"r"(at), "r"(other)
                             : "memory", "cc");
            break;
        case 'b': /* the bit 37 from here on */
            __asm__ volatile("btsl %1,(%0)" ::"r"(at), "r"(37) : "memory", "cc");
            break;
        case 'n': /* an address that is only computed */
            __asm__ volatile("lea (%0),%%rax; nopl (%0); prefetcht0 (%0)" ::"r"(at) : "rax");
            break;
        default:
            abort();
    }
}

static void* work(void* argument) {
    struct job job;
    memcpy(&job, argument, sizeof job);
    for (char* word = job.script; *word != '\0';) {
        const char area = *word;
        char operation[8] = {0};
        unsigned at = 0;
        unsigned other = 0;
        int used = 0;
        sscanf(word + 1, "%7[a-z0-9]:%u:%u%n", operation, &at, &other, &used);
        char* base = job.areas[area == 'g' ? 0 : area == 'h' ? 1 : area == 'm' ? 2 : 3];
        carry_out(operation, base + at, base + other);
        word += 1 + used;
        if (*word == ',') word++;
    }
    return NULL;
}

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    char stack_area[area_size];
    memset(stack_area, 0, sizeof stack_area);
    struct job job = {
        {global_area, calloc(1, area_size),
         mmap(NULL, area_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), stack_area},
        {0}};
    strncpy(job.script, argv[1], sizeof job.script - 1);
    printf("%p %p %p %p\n", (void*)job.areas[0], (void*)job.areas[1], (void*)job.areas[2],
           (void*)job.areas[3]);
    fflush(stdout);
    pthread_t thread;
    pthread_create(&thread, NULL, work, &job);
    pthread_join(thread, NULL);
    free(job.areas[1]);
    return 0;
}
