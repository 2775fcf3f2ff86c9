/* Structures without locks, in a broken and a correct version each: the first argument is the name, the
 * second "broken" or "correct". Fails an assertion where the broken ones go wrong. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static int correct;

/* ticket: the broken one takes its number in two steps. */
static int next_ticket;
static int now_serving;
static int inside;

static void* with_ticket(void* argument) {
    int mine;
    if (correct) {
        mine = __atomic_fetch_add(&next_ticket, 1, __ATOMIC_SEQ_CST);
    } else {
        mine = __atomic_load_n(&next_ticket, __ATOMIC_SEQ_CST);
        __atomic_store_n(&next_ticket, mine + 1, __ATOMIC_SEQ_CST);
    }
    while (__atomic_load_n(&now_serving, __ATOMIC_SEQ_CST) != mine) {
    }
    assert(__atomic_exchange_n(&inside, 1, __ATOMIC_SEQ_CST) == 0);
    __atomic_store_n(&inside, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&now_serving, mine + 1, __ATOMIC_SEQ_CST);
    return argument;
}

/* treiber: a stack of three nodes. One thread takes one off, the other takes two off and puts the first of
 * them back: the head is what it was (ABA), what is behind it is not. The correct one has a count in the
 * head. */
enum { nodes = 3, none = nodes };
static uint8_t next[nodes];
static int taken[nodes];
static uint32_t head; /* the node in the low byte, the count above */

static uint32_t make_head(uint32_t before, uint32_t node) {
    const uint32_t count = correct ? (before >> 8) + 1 : 0;
    return count << 8 | node;
}

static unsigned pop(void) {
    for (;;) {
        uint32_t seen = __atomic_load_n(&head, __ATOMIC_SEQ_CST);
        const uint32_t node = seen & 0xff;
        if (node == none) return none;
        const uint32_t behind = __atomic_load_n(&next[node], __ATOMIC_SEQ_CST);
        if (__atomic_compare_exchange_n(&head, &seen, make_head(seen, behind), 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
            return node;
        }
    }
}

static void push(unsigned node) {
    for (;;) {
        uint32_t seen = __atomic_load_n(&head, __ATOMIC_SEQ_CST);
        __atomic_store_n(&next[node], (uint8_t)(seen & 0xff), __ATOMIC_SEQ_CST);
        if (__atomic_compare_exchange_n(&head, &seen, make_head(seen, node), 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
            return;
        }
    }
}

static void keep(unsigned node) {
    if (node != none) assert(__atomic_fetch_add(&taken[node], 1, __ATOMIC_SEQ_CST) == 0);
}

static void* take_one(void* argument) {
    keep(pop());
    keep(pop());
    return argument;
}

static void* take_two_give_one(void* argument) {
    const unsigned first = pop();
    const unsigned second = pop();
    keep(second);
    if (first != none) push(first);
    return argument;
}

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    correct = strcmp(argv[2], "correct") == 0;
    pthread_t threads[2];
    if (strcmp(argv[1], "ticket") == 0) {
        for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, with_ticket, NULL);
    } else {
        for (int i = 0; i < nodes; i++) next[i] = (uint8_t)(i + 1);
        pthread_create(&threads[0], NULL, take_one, NULL);
        pthread_create(&threads[1], NULL, take_two_give_one, NULL);
    }
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
