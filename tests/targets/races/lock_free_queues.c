/* Queues without locks, in a broken and a correct version each: the first argument is the name, the second "broken" or
 * "correct". Fails an assertion where the broken ones go wrong. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static int correct;

static int load(int* from) { return __atomic_load_n(from, __ATOMIC_SEQ_CST); }
static void store(int* to, int value) { __atomic_store_n(to, value, __ATOMIC_SEQ_CST); }
static int exchange_if(int* where, int expected, int value) {
    return __atomic_compare_exchange_n(where, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

enum { most_items = 4 };
static int taken[most_items];
static void keep(int item) {
    if (item >= 0) assert(__atomic_fetch_add(&taken[item], 1, __ATOMIC_SEQ_CST) == 0);
}

/* michael_scott: a list with a node in front that does not count. Links are a node in the low byte and a count of
 * changes above it. The broken one moves the head first and reads the item after that, when the node may already
 * have been taken off by somebody else and be in use again. */
enum { nodes = 4, none = 0xff };
static int items_of[nodes];
static int next_of[nodes];
static int head;
static int tail;

static int node_of(int link) { return link & 0xff; }
static int changed(int link, int node) { return (((link >> 8) + 1) << 8) | node; }

static void enqueue(int node, int item) {
    store(&items_of[node], item);
    store(&next_of[node], changed(load(&next_of[node]), none));
    for (;;) {
        const int last = load(&tail);
        const int next = load(&next_of[node_of(last)]);
        if (last != load(&tail)) continue;
        if (node_of(next) != none) {
            exchange_if(&tail, last, changed(last, node_of(next)));
        } else if (exchange_if(&next_of[node_of(last)], next, changed(next, node))) {
            exchange_if(&tail, last, changed(last, node));
            return;
        }
    }
}

/* The item, or -1 if there is none. The node that is not in the queue any more is the caller's. */
static int dequeue(int* freed) {
    for (;;) {
        const int first = load(&head);
        const int last = load(&tail);
        const int next = load(&next_of[node_of(first)]);
        if (first != load(&head)) continue;
        if (node_of(next) == none) return -1;
        if (node_of(first) == node_of(last)) {
            exchange_if(&tail, last, changed(last, node_of(next)));
            continue;
        }
        int item = correct ? load(&items_of[node_of(next)]) : -1;
        if (!exchange_if(&head, first, changed(first, node_of(next)))) continue;
        if (!correct) item = load(&items_of[node_of(next)]);
        *freed = node_of(first);
        return item;
    }
}

static void* take_one(void* argument) {
    int freed = none;
    keep(dequeue(&freed));
    return argument;
}
static void* take_and_put(void* argument) {
    int freed = none;
    keep(dequeue(&freed));
    if (freed != none) enqueue(freed, 2);
    return argument;
}
static void set_up_michael_scott(void) {
    for (int i = 0; i < nodes; i++) store(&next_of[i], none);
    store(&head, 0);
    store(&tail, 0);
    enqueue(1, 0);
    enqueue(2, 1);
}
static void empty_michael_scott(void) {
    int freed = none;
    for (int item = 0; (item = dequeue(&freed)) >= 0;) keep(item);
    for (int item = 0; item < 3; item++) assert(load(&taken[item]) == 1);
}

/* chase_lev: the owner puts and takes at the bottom, thieves steal at the top. For the last item the owner has to
 * compete with them by an exchange; the broken one looks at the top, and moves it by a store. */
static int top;
static int bottom;
static int slots[most_items];

static void push(int item) {
    const int end = load(&bottom);
    store(&slots[end % most_items], item);
    store(&bottom, end + 1);
}
static int pop(void) {
    const int end = load(&bottom) - 1;
    store(&bottom, end);
    const int start = load(&top);
    if (start > end) {
        store(&bottom, end + 1);
        return -1;
    }
    int item = load(&slots[end % most_items]);
    if (start < end) return item;
    if (!correct) {
        store(&top, start + 1);
    } else if (!exchange_if(&top, start, start + 1)) {
        item = -1;
    }
    store(&bottom, end + 1);
    return item;
}
static int steal(void) {
    const int start = load(&top);
    const int end = load(&bottom);
    if (start >= end) return -1;
    const int item = load(&slots[start % most_items]);
    return exchange_if(&top, start, start + 1) ? item : -1;
}
static void* own(void* argument) {
    keep(pop());
    keep(pop());
    return argument;
}
static void* be_a_thief(void* argument) {
    keep(steal());
    return argument;
}
static void set_up_chase_lev(void) {
    push(0);
    push(1);
}
static void empty_chase_lev(void) {
    for (int item = 0; (item = pop()) >= 0;) keep(item);
    for (int item = 0; item < 2; item++) assert(load(&taken[item]) == 1);
}

struct structure {
    const char* name;
    void (*set_up)(void);
    void* (*first)(void*);
    void* (*second)(void*);
    void (*finish)(void);
};

static const struct structure structures[] = {
    {"michael_scott", set_up_michael_scott, take_one, take_and_put, empty_michael_scott},
    {"chase_lev", set_up_chase_lev, own, be_a_thief, empty_chase_lev},
};

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    correct = strcmp(argv[2], "correct") == 0;
    for (size_t i = 0; i < sizeof structures / sizeof structures[0]; i++) {
        if (strcmp(structures[i].name, argv[1]) != 0) continue;
        pthread_t threads[2];
        structures[i].set_up();
        pthread_create(&threads[0], NULL, structures[i].first, NULL);
        pthread_create(&threads[1], NULL, structures[i].second, NULL);
        for (int nth = 0; nth < 2; nth++) pthread_join(threads[nth], NULL);
        structures[i].finish();
        return 0;
    }
    return 2;
}
