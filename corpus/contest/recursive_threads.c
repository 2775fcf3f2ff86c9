// ConTest, fourth experiment: threads create each other, one inside the other. A thread finds its parameter in a hash
// table (synchronized, as Java's is), where its creator puts it after having created it: a child that runs at once
// looks for what is not there yet.
// One preemption: a creator between creating and putting.
// Fixed: put first.
#include <assert.h>

#include "corpus/threads.h"

enum { buckets = 8 };

struct Entry {
    int key;
    int value;
    struct Entry* next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct Entry* table[buckets];
static struct Entry entries[most_threads];
static int depth;

static void put(int key, int value) {
    pthread_mutex_lock(&mutex);
    struct Entry* entry = &entries[key];
    entry->key = key;
    entry->value = value;
    entry->next = table[key % buckets];
    table[key % buckets] = entry;
    pthread_mutex_unlock(&mutex);
}

static const struct Entry* get(int key) {
    pthread_mutex_lock(&mutex);
    const struct Entry* entry = table[key % buckets];
    while (entry != NULL && entry->key != key) entry = entry->next;
    pthread_mutex_unlock(&mutex);
    return entry;
}

static void create_next(int level);

static void* run(void* number) {
    const int level = (int)(long)number;
    const struct Entry* entry = get(level);
    assert(entry != NULL && entry->value == level * level);  // BUG
    create_next(level + 1);
    return NULL;
}

static void create_next(int level) {
    if (level > depth) return;
    pthread_t child;
#ifdef FIXED
    put(level, level * level);
#endif
    if (pthread_create(&child, NULL, run, (void*)(long)level) != 0) abort();
#ifndef FIXED
    put(level, level * level);
#endif
    pthread_join(child, NULL);
}

// recursive_threads [DEPTH]
int main(int count, char** arguments) {
    depth = number_argument(count, arguments, 1, 2, 1, most_threads - 1);
    create_next(1);
    return 0;
}
