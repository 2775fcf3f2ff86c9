/* Pairs about what memory is shared: allocation, reuse, layout, buffers of system calls, accesses of all sizes. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pairs.h"

/* pool: items come from a list of free ones, which the racy one does not protect */
struct item {
    struct item* next;
    volatile int value;
};
static struct item items[2] = {{&items[1], 0}, {NULL, 0}};
static struct item* free_items = items;
static void use_pool(void) {
    lock_if_fixed();
    struct item* own = *(struct item* volatile*)&free_items;
    if (own != NULL) *(struct item* volatile*)&free_items = own->next;
    unlock_if_fixed();
    if (own == NULL) return;
    own->value = 1;
    lock_if_fixed();
    own->next = *(struct item* volatile*)&free_items;
    *(struct item* volatile*)&free_items = own;
    unlock_if_fixed();
}

/* reallocated: the memory of a growing array moves while somebody reads it */
static int* volatile numbers;
static void grow(void) {
    lock_if_fixed();
    int* moved = realloc((void*)numbers, 100 * sizeof *moved);
    if (moved == NULL) abort();
    numbers = moved;
    unlock_if_fixed();
}
static void read_grown(void) {
    lock_if_fixed();
    if (numbers != NULL) sink = numbers[0];
    unlock_if_fixed();
}

/* passed_on: what was freed here is allocated there; the racy one keeps a pointer to it */
static void* volatile kept;
static void allocate_and_free(void) {
    volatile int* own = malloc(24);
    *own = 1;
    if (!fixed) kept = (void*)own;
    free((void*)own);
}
static void use_kept(void) {
    volatile int* own = malloc(24);
    *own = 2;
    if (!fixed && kept != NULL) sink = *(volatile int*)kept;
    free((void*)own);
}

/* mapped: memory of the program's own mapping */
static int* volatile mapping;
static void map_it(void) {
    void* place = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) abort();
    mapping = place;
}
static void count_in_mapping(void) {
    pthread_mutex_lock(&mutex);
    if (mapping == NULL) map_it();
    volatile int* counter = mapping;
    if (!fixed) pthread_mutex_unlock(&mutex);
    *counter = *counter + 1;
    if (fixed) pthread_mutex_unlock(&mutex);
}

/* across_pages: eight bytes on both sides of a page's end, and a byte of the second page */
static char two_pages[2 * 4096] __attribute__((aligned(4096)));
static void write_across(void) { *(volatile uint64_t*)(two_pages + 4096 - 4) = 1; }
static void write_second_page(void) { *(volatile char*)(two_pages + 4096 + (fixed ? 4 : 3)) = 1; }

/* set_tail: a large piece of memory set at once, and its last byte, or the one behind */
static char large[257];
static void set_all(void) {
    memset(large, 1, 256);
    sink = *(volatile char*)large;
}
static void read_tail(void) { sink = *(volatile char*)(large + (fixed ? 256 : 255)); }

/* moved: memmove within one array, and a byte that it moves, or one that it does not */
static char line[64];
static void move_line(void) {
    memmove(line + 1, line, 40);
    sink = *(volatile char*)line;
}
static void write_in_line(void) { *(volatile char*)(line + (fixed ? 41 : 40)) = 1; }

/* one_union: two members of a union are the same memory, of a structure they are not */
static union {
    volatile int number;
    volatile char text[4];
} either;
static struct {
    volatile int number;
    volatile char text[4];
} both;
static void write_number(void) {
    if (fixed) {
        both.number = 1;
    } else {
        either.number = 1;
    }
}
static void write_text_member(void) {
    if (fixed) {
        both.text[2] = 1;
    } else {
        either.text[2] = 1;
    }
}

/* bit_fields_two_locks: neighbours in one word, each with its own lock */
static pthread_mutex_t other_mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile struct {
    unsigned first : 3;
    unsigned second : 5;
} word;
static void set_first_bits(void) {
    pthread_mutex_lock(&mutex);
    word.first = 1;
    pthread_mutex_unlock(&mutex);
}
static void set_second_bits(void) {
    pthread_mutex_t* const which = fixed ? &mutex : &other_mutex;
    pthread_mutex_lock(which);
    word.second = 1;
    pthread_mutex_unlock(which);
}

/* separated_bits: a field of width zero makes two memory locations of one structure */
static volatile struct {
    unsigned char first : 3;
    unsigned char : 0;
    unsigned char second : 5;
} separated;
static volatile struct {
    unsigned char first : 3;
    unsigned char second : 5;
} together;
static void set_first_part(void) {
    if (fixed) {
        separated.first = 1;
    } else {
        together.first = 1;
    }
}
static void set_second_part(void) {
    if (fixed) {
        separated.second = 1;
    } else {
        together.second = 1;
    }
}

/* own_counters: neighbours in a cache line; the racy main adds them up too early */
static volatile int counters[2];
static void count_first(void) { counters[0]++; }
static void count_second(void) { counters[1]++; }
static void add_up(void) { sink = counters[0] + counters[1]; }
static void add_up_if_racy(void) {
    if (!fixed) add_up();
}

/* static_buffer: a function that answers in a buffer of its own */
static char* number_as_text(int number, char* buffer) {
    static char shared_buffer[8];
    char* text = fixed ? buffer : shared_buffer;
    volatile char* end = text;
    *end++ = (char)('0' + number % 10);
    *end = '\0';
    return text;
}
static void print_number(void) {
    char buffer[8];
    sink = number_as_text(7, buffer)[0];
}

/* read_buffer, write_buffer: the kernel accesses them in a system call */
static int ends[2];
static volatile char buffer[16];
static void fill_from_pipe(void) {
    char bytes[4] = "abc";
    if (pipe(ends) != 0 || write(ends[1], bytes, sizeof bytes) != sizeof bytes) abort();
    lock_if_fixed();
    if (read(ends[0], (void*)buffer, 4) != 4) abort();
    unlock_if_fixed();
}
static void write_to_pipe(void) {
    if (pipe(ends) != 0) abort();
    lock_if_fixed();
    if (write(ends[1], (const void*)buffer, 4) != 4) abort();
    unlock_if_fixed();
}
static void look_at_buffer(void) {
    lock_if_fixed();
    sink = buffer[3];
    unlock_if_fixed();
}
static void change_buffer(void) {
    lock_if_fixed();
    buffer[3] = 'x';
    unlock_if_fixed();
}

/* double_width: sixteen bytes by a vector instruction, and four of them */
static struct {
    _Alignas(16) int lanes[8];
} wide;
static void write_vector(void) {
    typedef int vector __attribute__((vector_size(16)));
    *(volatile vector*)wide.lanes = (vector){1, 2, 3, 4};
}
static void write_lane(void) { *(volatile int*)&wide.lanes[fixed ? 4 : 3] = 5; }

/* two_heap_objects: neighbours in the heap, or the same one */
static char* volatile objects;
static volatile char* make_objects(void) {
    pthread_mutex_lock(&mutex);
    if (objects == NULL) objects = calloc(2, 1);
    volatile char* made = objects;
    pthread_mutex_unlock(&mutex);
    return made;
}
static void use_first_object(void) { make_objects()[0]++; }
static void use_second_object(void) { make_objects()[fixed ? 1 : 0]++; }

static const struct pair pairs[] = {
    {"pool", use_pool, use_pool, NULL, NULL},
    {"reallocated", grow, read_grown, NULL, NULL},
    {"passed_on", allocate_and_free, use_kept, NULL, NULL},
    {"mapped", count_in_mapping, count_in_mapping, NULL, NULL},
    {"across_pages", write_across, write_second_page, NULL, NULL},
    {"set_tail", set_all, read_tail, NULL, NULL},
    {"moved", move_line, write_in_line, NULL, NULL},
    {"one_union", write_number, write_text_member, NULL, NULL},
    {"bit_fields_two_locks", set_first_bits, set_second_bits, NULL, NULL},
    {"separated_bits", set_first_part, set_second_part, NULL, NULL},
    {"own_counters", count_first, count_second, add_up_if_racy, add_up},
    {"static_buffer", print_number, print_number, NULL, NULL},
    {"read_buffer", fill_from_pipe, look_at_buffer, NULL, NULL},
    {"write_buffer", write_to_pipe, change_buffer, NULL, NULL},
    {"vector_lane", write_vector, write_lane, NULL, NULL},
    {"two_heap_objects", use_first_object, use_second_object, NULL, NULL},
};

int main(int argc, char** argv) { return run_chosen(pairs, sizeof pairs / sizeof pairs[0], argc, argv); }
