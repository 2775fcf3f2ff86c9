// Cooperari, table 5.1: Linked List. Threads append to one list, and the operation that appends is not synchronized: two
// of them can find the same last node, and one of the new nodes is lost.
// A data race and nothing else. One preemption: a thread between finding the last node and appending to it.
// Fixed: a lock.
#include <assert.h>

#include "corpus/threads.h"

struct Node {
    struct Node* volatile next;  // volatile: every access in the source is one in the program
};

enum { nodes_each = 2 };
static struct Node head;
static struct Node nodes[most_threads][nodes_each];
#ifdef FIXED
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#endif

static void append(struct Node* node) {
#ifdef FIXED
    pthread_mutex_lock(&mutex);
#endif
    struct Node* last = &head;
    while (last->next != NULL) last = last->next;
    last->next = node;
#ifdef FIXED
    pthread_mutex_unlock(&mutex);
#endif
}

static void* run(void* number) {
    for (int i = 0; i < nodes_each; ++i) append(&nodes[(long)number][i]);
    return NULL;
}

// linked_list [THREADS]
int main(int count, char** arguments) {
    const int threads = number_argument(count, arguments, 1, 2, 2, most_threads);
    run_threads(threads, run);
    int length = 0;
    for (const struct Node* node = head.next; node != NULL; node = node->next) length += 1;
    assert(length == threads * nodes_each);  // BUG
    return 0;
}
