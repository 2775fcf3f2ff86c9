/* Pairs about threads that synchronize by memory of their own: algorithms of mutual exclusion that are correct where
 * accesses take place in the order of the program, locks and messages made of atomic operations. */
#include <stdlib.h>

#include "pairs.h"

/* dekker: the racy one is the algorithm with ordinary variables */
static int wants[2];
static int turn;
static void dekker(int me) {
    const int other = 1 - me;
    set(&wants[me], 1);
    while (get(&wants[other])) {
        if (get(&turn) == me) continue;
        set(&wants[me], 0);
        while (get(&turn) != me) {
        }
        set(&wants[me], 1);
    }
    x++;
    set(&turn, other);
    set(&wants[me], 0);
}
static void dekker_0(void) { dekker(0); }
static void dekker_1(void) { dekker(1); }

/* bakery: Lamport's */
static int chooses[2];
static int number[2];
static void bakery(int me) {
    const int other = 1 - me;
    set(&chooses[me], 1);
    set(&number[me], get(&number[other]) + 1);
    set(&chooses[me], 0);
    while (get(&chooses[other])) {
    }
    for (;;) {
        const int theirs = get(&number[other]);
        const int mine = get(&number[me]);
        if (theirs == 0 || theirs > mine || (theirs == mine && other > me)) break;
    }
    x++;
    set(&number[me], 0);
}
static void bakery_0(void) { bakery(0); }
static void bakery_1(void) { bakery(1); }

/* seqlock: the racy one has the sequence, but ordinary data and an ordinary sequence */
static int sequence;
static int left;
static int right;
static void write_in_sequence(void) {
    set(&sequence, get(&sequence) + 1);
    set(&left, 5);
    set(&right, 5);
    set(&sequence, get(&sequence) + 1);
}
static void read_in_sequence(void) {
    for (int tries = 0; tries < 3; tries++) {
        const int before = get(&sequence);
        const int seen_left = get(&left);
        const int seen_right = get(&right);
        if (before % 2 != 0 || get(&sequence) != before) continue;
        if (seen_left != seen_right) abort();
        return;
    }
}

/* seqlock_data: the sequence is atomic in both, the data are not in the racy one */
static int atomic_sequence;
static void write_data_in_sequence(void) {
    __atomic_fetch_add(&atomic_sequence, 1, __ATOMIC_SEQ_CST);
    set(&left, 5);
    __atomic_fetch_add(&atomic_sequence, 1, __ATOMIC_SEQ_CST);
}
static void read_data_in_sequence(void) {
    const int before = __atomic_load_n(&atomic_sequence, __ATOMIC_SEQ_CST);
    const int seen = get(&left);
    if (before == __atomic_load_n(&atomic_sequence, __ATOMIC_SEQ_CST)) sink = seen;
}

/* own_rwlock: readers are counted; the racy writer does not wait for them */
static int readers; /* -1: a writer is inside */
static void own_read(void) {
    for (;;) {
        int seen = __atomic_load_n(&readers, __ATOMIC_SEQ_CST);
        if (seen >= 0 &&
            __atomic_compare_exchange_n(&readers, &seen, seen + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            break;
        }
    }
    sink = x;
    __atomic_fetch_sub(&readers, 1, __ATOMIC_SEQ_CST);
}
static void own_write(void) {
    for (;;) {
        int none = 0;
        if (__atomic_compare_exchange_n(&readers, &none, -1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) || !fixed) break;
    }
    if (!fixed) __atomic_store_n(&readers, 0, __ATOMIC_SEQ_CST);
    x = 1;
    if (fixed) __atomic_store_n(&readers, 0, __ATOMIC_SEQ_CST);
}

/* ring: one puts, one takes; the fixed one has atomic positions */
enum { ring_size = 2 };
static int ring[ring_size];
static int first_full;
static int first_empty;
static void put_into_ring(void) {
    for (int item = 1; item <= ring_size; item++) {
        *(volatile int*)&ring[item % ring_size] = item;
        set(&first_empty, item);
    }
}
static void take_from_ring(void) {
    for (int item = 1; item <= ring_size; item++) {
        if (get(&first_empty) < item) return;
        sink = *(volatile int*)&ring[item % ring_size];
        set(&first_full, item);
    }
}

/* too_early: the flag is atomic, but in the racy one it is raised before what it announces is there */
static int announced;
static void announce(void) {
    if (fixed) x = 7;
    __atomic_store_n(&announced, 1, __ATOMIC_SEQ_CST);
    if (!fixed) x = 7;
}
static void use_if_announced(void) {
    if (__atomic_load_n(&announced, __ATOMIC_SEQ_CST)) sink = x;
}

/* lazy_exchange: whoever comes second throws its own away; the racy one looks and stores */
struct item {
    int value;
};
static struct item* made;
static void make_once(void) {
    struct item* seen = fixed ? __atomic_load_n(&made, __ATOMIC_SEQ_CST) : *(struct item* volatile*)&made;
    if (seen == NULL) {
        struct item* own = malloc(sizeof *own);
        own->value = 7;
        if (!fixed) {
            *(struct item* volatile*)&made = own;
        } else if (!__atomic_compare_exchange_n(&made, &seen, own, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            free(own);
        }
    }
    sink = fixed ? __atomic_load_n(&made, __ATOMIC_SEQ_CST)->value : (*(struct item* volatile*)&made)->value;
}

/* double_checked_atomic: the pointer is atomic in the fixed one */
static void double_checked_atomic(void) {
    struct item* seen = fixed ? __atomic_load_n(&made, __ATOMIC_ACQUIRE) : *(struct item* volatile*)&made;
    if (seen == NULL) {
        pthread_mutex_lock(&mutex);
        if (made == NULL) {
            seen = malloc(sizeof *seen);
            seen->value = 7;
            if (fixed) {
                __atomic_store_n(&made, seen, __ATOMIC_SEQ_CST);
            } else {
                *(struct item* volatile*)&made = seen;
            }
        }
        seen = made;
        pthread_mutex_unlock(&mutex);
    }
    sink = *(volatile int*)&seen->value;
}

/* stop_flag */
static int should_stop;
static void work_until_stopped(void) {
    while (!get(&should_stop)) {
    }
}
static void stop_work(void) { set(&should_stop, 1); }

/* bits_of_a_byte: each has its own bit */
static unsigned char flags;
static void raise_bit(unsigned char bit) {
    if (fixed) {
        __atomic_fetch_or(&flags, bit, __ATOMIC_SEQ_CST);
    } else {
        *(volatile unsigned char*)&flags |= bit;
    }
}
static void raise_bit_1(void) { raise_bit(1); }
static void raise_bit_2(void) { raise_bit(2); }

static const struct pair pairs[] = {
    {"dekker", dekker_0, dekker_1, NULL, NULL},
    {"bakery", bakery_0, bakery_1, NULL, NULL},
    {"seqlock", write_in_sequence, read_in_sequence, NULL, NULL},
    {"seqlock_data", write_data_in_sequence, read_data_in_sequence, NULL, NULL},
    {"own_rwlock", own_write, own_read, NULL, NULL},
    {"ring", put_into_ring, take_from_ring, NULL, NULL},
    {"too_early", announce, use_if_announced, NULL, NULL},
    {"lazy_exchange", make_once, make_once, NULL, NULL},
    {"double_checked_atomic", double_checked_atomic, double_checked_atomic, NULL, NULL},
    {"stop_flag", work_until_stopped, stop_work, NULL, NULL},
    {"bits_of_a_byte", raise_bit_1, raise_bit_2, NULL, NULL},
};

int main(int argc, char** argv) { return run_chosen(pairs, sizeof pairs / sizeof pairs[0], argc, argv); }
