/* Pairs of small programs about all sorts of races. */
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "pairs.h"

static pthread_mutex_t other_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t semaphore;
static int pipe_ends[2];

static volatile int y;

/* counter */
static void counter(void) {
    lock_if_fixed();
    x++;
    unlock_if_fixed();
}

/* flag */
static void raise_flag(void) {
    lock_if_fixed();
    x = 1;
    unlock_if_fixed();
}
static void look_at_flag(void) {
    lock_if_fixed();
    sink = x;
    unlock_if_fixed();
}

/* publication */
struct item {
    int value;
    int other;
};
static struct item an_item;
static struct item* volatile published;
static void publish(void) {
    lock_if_fixed();
    an_item.value = 7;
    published = &an_item;
    unlock_if_fixed();
}
static void use_published(void) {
    lock_if_fixed();
    struct item* seen = published;
    if (seen != NULL) sink = seen->value;
    unlock_if_fixed();
}

/* double_checked */
static struct item* volatile instance;
static void get_instance(void) {
    if (fixed || instance == NULL) {
        pthread_mutex_lock(&mutex);
        if (instance == NULL) instance = &an_item;
        pthread_mutex_unlock(&mutex);
    }
}

/* lazy */
static void lazy(void) {
    lock_if_fixed();
    if (instance == NULL) instance = &an_item;
    unlock_if_fixed();
}

/* references */
static int references = 2;
static void drop_reference(void) {
    if (fixed) {
        if (__atomic_sub_fetch(&references, 1, __ATOMIC_SEQ_CST) == 0) an_item.value = 0;
    } else {
        volatile int* count = &references;
        *count = *count - 1;
        if (*count == 0) an_item.value = 0;
    }
}

/* bit_fields */
static volatile struct {
    unsigned left : 4;
    unsigned right : 4;
    unsigned char own_left;
    unsigned char own_right;
} bits;
static void set_left(void) {
    if (fixed) {
        bits.own_left = 1;
    } else {
        bits.left = 1;
    }
}
static void set_right(void) {
    if (fixed) {
        bits.own_right = 1;
    } else {
        bits.right = 1;
    }
}

/* array_halves */
static volatile int array[8];
static void lower_half(void) {
    for (int i = 0; i < 4; i++) array[i] = i;
}
static void upper_half(void) {
    for (int i = fixed ? 4 : 3; i < 8; i++) array[i] = i;
}

/* wrong_lock */
static void with_mutex(void) {
    pthread_mutex_lock(&mutex);
    x++;
    pthread_mutex_unlock(&mutex);
}
static void with_other_mutex(void) {
    pthread_mutex_t* which = fixed ? &mutex : &other_mutex;
    pthread_mutex_lock(which);
    x++;
    pthread_mutex_unlock(which);
}

/* read_lock */
static void write_under_read_lock(void) {
    if (fixed) {
        pthread_rwlock_wrlock(&rwlock);
    } else {
        pthread_rwlock_rdlock(&rwlock);
    }
    x++;
    pthread_rwlock_unlock(&rwlock);
}
static void read_under_read_lock(void) {
    pthread_rwlock_rdlock(&rwlock);
    sink = x;
    pthread_rwlock_unlock(&rwlock);
}

/* read_mostly */
static void read_unlocked(void) {
    lock_if_fixed();
    const int seen = x;
    unlock_if_fixed();
    pthread_mutex_lock(&other_mutex);
    y = seen;
    pthread_mutex_unlock(&other_mutex);
}

/* struct_copy */
static struct item from;
static struct item to;
static void copy_struct(void) {
    lock_if_fixed();
    memcpy(&to, &from, sizeof to);
    unlock_if_fixed();
    sink = *(volatile int*)&to.other;
}
static void change_struct(void) {
    lock_if_fixed();
    *(volatile int*)&from.other = 5;
    unlock_if_fixed();
}

/* after_unlock, before_lock */
static void access_after(void) {
    pthread_mutex_lock(&mutex);
    if (fixed) x++;
    pthread_mutex_unlock(&mutex);
    if (!fixed) x++;
}
static void access_before(void) {
    if (!fixed) x++;
    pthread_mutex_lock(&mutex);
    if (fixed) x++;
    pthread_mutex_unlock(&mutex);
}

/* create_order, join_order */
static void read_x(void) { sink = x; }
static void write_x(void) { x = 1; }
static void write_x_if_racy(void) {
    if (!fixed) x = 2;
}
static void read_x_if_racy(void) {
    if (!fixed) sink = x;
}

/* heap */
static int* volatile shared_heap;
static void heap_counter(void) {
    lock_if_fixed();
    (*(volatile int*)shared_heap)++;
    unlock_if_fixed();
}

/* freed */
static void use_heap(void) { sink = *(volatile int*)shared_heap; }
static void free_heap(void) {
    if (!fixed) free((void*)shared_heap);
}

/* reused: the allocator gives the same memory to both, one after the other */
static void use_own_heap(void) {
    int* own = malloc(40);
    *(volatile int*)own = 1;
    free(own);
    if (!fixed) x++;
}

/* semaphore */
static void post_it(void) {
    x = 1;
    sem_post(&semaphore);
}
static void wait_for_it(void) {
    if (!fixed) sink = x;
    sem_wait(&semaphore);
    if (fixed) sink = x;
}

/* barrier */
static void left_side(void) {
    x = 1;
    if (fixed) pthread_barrier_wait(&barrier);
    sink = y;
}
static void right_side(void) {
    y = 1;
    if (fixed) pthread_barrier_wait(&barrier);
    sink = x;
}

/* condition */
static int is_ready;
static void make_ready(void) {
    if (!fixed) x = 1;
    pthread_mutex_lock(&mutex);
    if (fixed) x = 1;
    is_ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
}
static void wait_until_ready(void) {
    if (!fixed) sink = x;
    pthread_mutex_lock(&mutex);
    while (!is_ready) pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    if (fixed) sink = x;
}

/* once */
static void initialize_x(void) { x = 1; }
static void use_once(void) {
    if (fixed) {
        pthread_once(&once, initialize_x);
    } else {
        if (x == 0) initialize_x();
    }
    sink = x;
}

/* spin_lock */
static int lock_word;
static volatile int plain_lock_word;
static void with_own_lock(void) {
    if (fixed) {
        while (__atomic_exchange_n(&lock_word, 1, __ATOMIC_SEQ_CST) != 0) {
        }
        x++;
        __atomic_store_n(&lock_word, 0, __ATOMIC_SEQ_CST);
    } else {
        while (plain_lock_word != 0) {
        }
        plain_lock_word = 1;
        x++;
        plain_lock_word = 0;
    }
}

/* atomic_counter */
static int atomic_count;
static void count_atomically(void) {
    if (fixed) {
        __atomic_fetch_add(&atomic_count, 1, __ATOMIC_SEQ_CST);
    } else {
        (*(volatile int*)&atomic_count)++;
    }
}

/* peterson */
static int wants[2];
static int turn;
static void peterson(int me) {
    set(&wants[me], 1);
    set(&turn, 1 - me);
    while (get(&wants[1 - me]) && get(&turn) == 1 - me) {
    }
    x++;
    set(&wants[me], 0);
}
static void peterson_0(void) { peterson(0); }
static void peterson_1(void) { peterson(1); }

/* ticket */
static int next_ticket;
static int now_serving;
static void with_ticket(void) {
    const int mine = fixed ? __atomic_fetch_add(&next_ticket, 1, __ATOMIC_SEQ_CST) : next_ticket++;
    while (get(&now_serving) != mine) {
    }
    x++;
    set(&now_serving, mine + 1);
}

/* same_value */
static void write_the_same(void) {
    lock_if_fixed();
    x = 3;
    unlock_if_fixed();
}

/* neighbours: one byte each, or the same one */
static volatile char bytes[16];
static void first_byte(void) { bytes[0] = 1; }
static void second_byte(void) { bytes[fixed ? 1 : 0] = 1; }

/* overlap: eight bytes at once against two of them, or the two after */
static void eight_bytes(void) { *(volatile uint64_t*)bytes = 1; }
static void two_bytes(void) { *(volatile uint16_t*)(bytes + (fixed ? 8 : 6)) = 1; }

/* text */
static char text[64];
static void write_text(void) {
    lock_if_fixed();
    memcpy(text, "a text that is long enough to be copied in several pieces", 58);
    unlock_if_fixed();
}
static void read_text(void) {
    char own[64];
    lock_if_fixed();
    memcpy(own, text, sizeof own);
    unlock_if_fixed();
    sink = own[0];
}

/* thread_local */
static _Thread_local volatile int of_thread;
static void count_own(void) {
    if (fixed) {
        of_thread++;
    } else {
        x++;
    }
}

/* pipe */
static void send_by_pipe(void) {
    x = 1;
    if (write(pipe_ends[1], "x", 1) != 1) abort();
}
static void receive_by_pipe(void) {
    char byte = 0;
    if (!fixed) sink = x;
    if (read(pipe_ends[0], &byte, 1) != 1) abort();
    if (fixed) sink = x;
}

/* trylock */
static void try_it(void) {
    const int error = pthread_mutex_trylock(&mutex);
    if (error == 0 || !fixed) x++;
    if (error == 0) pthread_mutex_unlock(&mutex);
}

/* escaped: a variable on the stack of main */
static volatile int* volatile of_main;
static void write_of_main(void) {
    lock_if_fixed();
    (*of_main)++;
    unlock_if_fixed();
}

static const struct pair pairs[] = {
    {"counter", counter, counter, NULL, read_x},
    {"flag", raise_flag, look_at_flag, NULL, NULL},
    {"publication", publish, use_published, NULL, NULL},
    {"double_checked", get_instance, get_instance, NULL, NULL},
    {"lazy", lazy, lazy, NULL, NULL},
    {"references", drop_reference, drop_reference, NULL, NULL},
    {"bit_fields", set_left, set_right, NULL, NULL},
    {"array_halves", lower_half, upper_half, NULL, NULL},
    {"wrong_lock", with_mutex, with_other_mutex, NULL, read_x},
    {"read_lock", write_under_read_lock, read_under_read_lock, NULL, read_x},
    {"read_mostly", read_unlocked, with_mutex, NULL, NULL},
    {"struct_copy", copy_struct, change_struct, NULL, NULL},
    {"after_unlock", access_after, access_after, NULL, NULL},
    {"before_lock", access_before, access_before, NULL, NULL},
    {"create_order", read_x, nothing, write_x_if_racy, NULL},
    {"join_order", write_x, nothing, read_x_if_racy, read_x},
    {"heap", heap_counter, heap_counter, NULL, NULL},
    {"freed", use_heap, free_heap, NULL, NULL},
    {"reused", use_own_heap, use_own_heap, NULL, NULL},
    {"semaphore", post_it, wait_for_it, NULL, NULL},
    {"barrier", left_side, right_side, NULL, NULL},
    {"condition", make_ready, wait_until_ready, NULL, NULL},
    {"once", use_once, use_once, NULL, NULL},
    {"spin_lock", with_own_lock, with_own_lock, NULL, NULL},
    {"atomic_counter", count_atomically, count_atomically, NULL, NULL},
    {"peterson", peterson_0, peterson_1, NULL, NULL},
    {"ticket", with_ticket, with_ticket, NULL, NULL},
    {"same_value", write_the_same, write_the_same, NULL, NULL},
    {"neighbours", first_byte, second_byte, NULL, NULL},
    {"overlap", eight_bytes, two_bytes, NULL, NULL},
    {"text", write_text, read_text, NULL, NULL},
    {"thread_local", count_own, count_own, NULL, NULL},
    {"pipe", send_by_pipe, receive_by_pipe, NULL, NULL},
    {"trylock", try_it, try_it, NULL, NULL},
    {"escaped", write_of_main, write_of_main, NULL, NULL},
};

int main(int argc, char** argv) {
    volatile int on_stack = 0;
    of_main = &on_stack;
    shared_heap = calloc(1, 40);
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&semaphore, 0, 0);
    if (argc > 1 && strcmp(argv[1], "pipe") == 0 && pipe(pipe_ends) != 0) return 2;
    return run_chosen(pairs, sizeof pairs / sizeof pairs[0], argc, argv);
}
