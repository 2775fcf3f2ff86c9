/* Pairs about what orders accesses: locks of all kinds, semaphores, conditions, joins, and data that is handed over. */
#include <semaphore.h>
#include <stdlib.h>

#include "pairs.h"

/* posix_spin: the racy reader does not take it */
static pthread_spinlock_t spin_lock;
static void write_with_spin_lock(void) {
    pthread_spin_lock(&spin_lock);
    x = 1;
    pthread_spin_unlock(&spin_lock);
}
static void read_with_spin_lock(void) {
    if (fixed) pthread_spin_lock(&spin_lock);
    sink = x;
    if (fixed) pthread_spin_unlock(&spin_lock);
}

/* binary_semaphore: the racy one lets two in */
static sem_t semaphore;
static void with_semaphore(void) {
    sem_wait(&semaphore);
    x++;
    sem_post(&semaphore);
}

/* recursive: what is behind the inner unlock is protected, what is behind the outer one is not */
static pthread_mutex_t recursive;
static void with_recursive(void) {
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    pthread_mutex_unlock(&recursive);
    if (fixed) x++;
    pthread_mutex_unlock(&recursive);
    if (!fixed) x++;
}

/* upgrade: the racy one writes between the reader's lock and the writer's */
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static void upgrade(void) {
    pthread_rwlock_rdlock(&rwlock);
    const int seen = x;
    pthread_rwlock_unlock(&rwlock);
    if (!fixed) x = seen + 1;
    pthread_rwlock_wrlock(&rwlock);
    if (fixed) x = x + 1;
    pthread_rwlock_unlock(&rwlock);
}

/* two_readers: both read, which is no race; the racy one of them writes */
static void only_read(void) { sink = x; }
static void read_or_write(void) {
    if (fixed) {
        sink = x;
    } else {
        x = 1;
    }
}

/* hand_over: belongs to who has taken it from the box; the racy giver touches what it has given */
struct parcel {
    volatile int content;
};
static struct parcel* box;
static struct parcel a_parcel;
static void give(void) {
    a_parcel.content = 1;
    pthread_mutex_lock(&mutex);
    box = &a_parcel;
    pthread_mutex_unlock(&mutex);
    if (!fixed) a_parcel.content = 2;
}
static void take(void) {
    pthread_mutex_lock(&mutex);
    struct parcel* taken = box;
    box = NULL;
    pthread_mutex_unlock(&mutex);
    if (taken != NULL) taken->content = 3;
}

/* signal_unlocked: the racy flag is raised without the mutex */
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static volatile int is_raised;
static void raise_and_signal(void) {
    lock_if_fixed();
    is_raised = 1;
    unlock_if_fixed();
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
}
static void wait_for_signal(void) {
    pthread_mutex_lock(&mutex);
    while (!is_raised) pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
}

/* join_chain: a thread's thread; the racy one is not waited for */
static void* write_in_grandchild(void* unused) {
    x = 1;
    return unused;
}
static pthread_t grandchild;
static void with_grandchild(void) {
    pthread_create(&grandchild, NULL, write_in_grandchild, NULL);
    if (fixed) pthread_join(grandchild, NULL);
}
static void read_after_children(void) {
    sink = x;
    if (!fixed) pthread_join(grandchild, NULL);
}

/* loop_variable: the address of main's variable, which it changes when it has made the thread */
static void* read_argument(void* number) {
    sink = *(volatile int*)number;
    return NULL;
}
static void start_with_argument(void) {
    volatile int number = 0;
    volatile int copies[2];
    pthread_t threads[2];
    for (number = 0; number < 2; number++) {
        copies[number] = number;
        pthread_create(&threads[number], NULL, read_argument, (void*)(fixed ? &copies[number] : &number));
    }
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}

/* phases: in turns, parted by a barrier; the racy one goes on without it */
static pthread_barrier_t barrier;
static volatile int phase_data[2];
static void phases(int me) {
    phase_data[me] = 1;
    pthread_barrier_wait(&barrier);
    sink = phase_data[1 - me];
    if (fixed) pthread_barrier_wait(&barrier);
    phase_data[me] = 2;
}
static void phases_0(void) { phases(0); }
static void phases_1(void) { phases(1); }

/* striped: one lock for each stripe; the racy one takes that of another */
static pthread_mutex_t stripes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static volatile int cells[2];
static void add_to_cell(int cell, int stripe) {
    pthread_mutex_lock(&stripes[stripe]);
    cells[cell]++;
    pthread_mutex_unlock(&stripes[stripe]);
}
static void add_to_all(void) {
    add_to_cell(0, 0);
    add_to_cell(1, 1);
}
static void add_to_second(void) { add_to_cell(1, fixed ? 1 : 0); }

/* once_and_after: made once, and changed by the racy one after that */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void make_x(void) { x = 1; }
static void use_made(void) {
    pthread_once(&once, make_x);
    sink = x;
}
static void use_and_change(void) {
    pthread_once(&once, make_x);
    if (!fixed) x = 2;
}

static const struct pair pairs[] = {
    {"posix_spin", write_with_spin_lock, read_with_spin_lock, NULL, NULL},
    {"binary_semaphore", with_semaphore, with_semaphore, NULL, NULL},
    {"recursive", with_recursive, with_recursive, NULL, NULL},
    {"upgrade", upgrade, upgrade, NULL, NULL},
    {"two_readers", only_read, read_or_write, NULL, NULL},
    {"hand_over", give, take, NULL, NULL},
    {"signal_unlocked", raise_and_signal, wait_for_signal, NULL, NULL},
    {"join_chain", with_grandchild, nothing, NULL, read_after_children},
    {"loop_variable", start_with_argument, nothing, NULL, NULL},
    {"phases", phases_0, phases_1, NULL, NULL},
    {"striped", add_to_all, add_to_second, NULL, NULL},
    {"once_and_after", use_made, use_and_change, NULL, NULL},
};

int main(int argc, char** argv) {
    const int is_fixed = argc > 2 && strcmp(argv[2], "fixed") == 0;
    pthread_spin_init(&spin_lock, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&semaphore, 0, is_fixed ? 1 : 2);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attributes);
    return run_chosen(pairs, sizeof pairs / sizeof pairs[0], argc, argv);
}
