// A random program of tests/support/program.hpp with real threads and real primitives: the twin of the same program on
// fibers. Its text (to_text) is the one argument. What is visible to others happens in the same order as on fibers, under
// the same names; initialization is no operation.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tracer/coopcheck.h"

enum { most_threads = 6, most_code = 256, most_objects = 4, most_variables = 8, stack_size = 256 * 1024, broken = 99 };

// Each is a variable of its own, because its name is what the fibers call it.
pthread_mutex_t m0, m1, m2, m3;
pthread_cond_t c0, c1, c2, c3;
pthread_rwlock_t w0, w1, w2, w3;
pthread_spinlock_t s0, s1, s2, s3;
sem_t q0, q1, q2, q3;
pthread_barrier_t b0, b1, b2, b3;
pthread_once_t o0 = PTHREAD_ONCE_INIT, o1 = PTHREAD_ONCE_INIT, o2 = PTHREAD_ONCE_INIT, o3 = PTHREAD_ONCE_INIT;
volatile int x0, x1, x2, x3, x4, x5, x6, x7;

static pthread_mutex_t* const mutexes[] = {&m0, &m1, &m2, &m3};
static pthread_cond_t* const conditions[] = {&c0, &c1, &c2, &c3};
static pthread_rwlock_t* const rwlocks[] = {&w0, &w1, &w2, &w3};
static pthread_spinlock_t* const spins[] = {&s0, &s1, &s2, &s3};
static sem_t* const semaphores[] = {&q0, &q1, &q2, &q3};
static pthread_barrier_t* const barriers[] = {&b0, &b1, &b2, &b3};
static pthread_once_t* const onces[] = {&o0, &o1, &o2, &o3};
static volatile int* const variables[] = {&x0, &x1, &x2, &x3, &x4, &x5, &x6, &x7};

#define OPCODES(X)                                                                                                  \
    X(Create) X(Join) X(TimedJoin) X(TryJoin) X(Detach) X(Cancel)                                                   \
    X(Lock) X(TryLock) X(TimedLock) X(Unlock) X(Consistent) X(DestroyMutex)                                         \
    X(Wait) X(TimedWait) X(Signal) X(Broadcast) X(DestroyCondition)                                                 \
    X(ReadLock) X(TryReadLock) X(TimedReadLock) X(WriteLock) X(TryWriteLock) X(TimedWriteLock) X(RwUnlock)          \
    X(DestroyRwLock) X(SpinLock) X(SpinTryLock) X(SpinUnlock) X(DestroySpin)                                        \
    X(SemWait) X(SemTryWait) X(SemTimedWait) X(SemPost) X(SemGetValue) X(DestroySemaphore)                          \
    X(BarrierWait) X(DestroyBarrier) X(OnceEnter) X(OnceDone)                                                       \
    X(FutexWait) X(FutexTimedWait) X(FutexWake) X(Sleep) X(Yield) X(Choose)                                         \
    X(Read) X(Write) X(WriteRegister) X(FetchAdd) X(Exit)                                                           \
    X(Set) X(Add) X(Jump) X(JumpIfEqual) X(JumpIfNotEqual) X(AssertEqual) X(AssertNotEqual)

#define AS_NAME(name) name,
enum opcode { OPCODES(AS_NAME) opcode_count };
#define AS_TEXT(name) #name,
static const char* const opcode_names[] = {OPCODES(AS_TEXT)};

struct instruction {
    enum opcode code;
    int object, value, reg, target;
};
static struct instruction code[most_threads][most_code];
static int code_size[most_threads];
static int thread_count;

struct thread {
    int number;
    int once_from, once_end;  // the routine that pthread_once is about to run
    int64_t registers[4];
};
static struct thread threads[most_threads];
static pthread_t handles[most_threads];
static int created[most_threads];
static _Thread_local struct thread* self;
// Never used for a second thread, so that the handle of a thread that is gone never means another one.
static char stacks[most_threads][stack_size] __attribute__((aligned(4096)));

// One for all: whose time limit is over first is nobody's choice on fibers.
static const struct timespec limit = {2000000000, 0};

static int or_errno(long result) { return result == -1 ? errno : (int)result; }

static void end_thread(void* unused) {
    (void)unused;
    syscall(SYS_exit, 0);  // pthread_exit of the last thread would call exit()
}

static void run(struct thread* thread, int place, int end);

static void* body(void* argument) {
    self = argument;
    pthread_cleanup_push(end_thread, NULL);
    run(self, 0, code_size[self->number]);
    pthread_cleanup_pop(1);
    return NULL;
}

static void routine(void) { run(self, self->once_from, self->once_end); }

static int create(int number) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stacks[number], stack_size);
    threads[number].number = number;
    created[number] = 1;
    return pthread_create(&handles[number], &attributes, body, &threads[number]);
}

static int64_t on_thread(const struct instruction* at) {
    // On fibers, too, this is no operation.
    if (!created[at->object]) return ESRCH;
    const pthread_t handle = handles[at->object];
    switch (at->code) {
        case Join: return pthread_join(handle, NULL);
        case TimedJoin: return pthread_timedjoin_np(handle, NULL, &limit);
        case TryJoin: return pthread_tryjoin_np(handle, NULL);
        case Detach: return pthread_detach(handle);
        default: return pthread_cancel(handle);
    }
}

static void check(const struct thread* thread, int place, int holds, const char* how) {
    const struct instruction* at = &code[thread->number][place];
    char text[64];
    if (holds) return;
    snprintf(text, sizeof text, "t%d:%d r%d %s %d", thread->number, place, at->reg, how, at->value);
    coopcheck_assert_at(0, text, "", 0);
}

static int64_t carry_out(struct thread* thread, const struct instruction* at) {
    int result;
    const int object = at->object;
    switch (at->code) {
        case Create: return create(object);
        case Join:
        case TimedJoin:
        case TryJoin:
        case Detach:
        case Cancel: return on_thread(at);

        case Lock: return pthread_mutex_lock(mutexes[object]);
        case TryLock: return pthread_mutex_trylock(mutexes[object]);
        case TimedLock: return pthread_mutex_timedlock(mutexes[object], &limit);
        case Unlock: return pthread_mutex_unlock(mutexes[object]);
        case Consistent: return pthread_mutex_consistent(mutexes[object]);
        case DestroyMutex: return pthread_mutex_destroy(mutexes[object]);

        case Wait: return pthread_cond_wait(conditions[object], mutexes[at->value]);
        case TimedWait: return pthread_cond_timedwait(conditions[object], mutexes[at->value], &limit);
        case Signal: return pthread_cond_signal(conditions[object]);
        case Broadcast: return pthread_cond_broadcast(conditions[object]);
        case DestroyCondition: return pthread_cond_destroy(conditions[object]);

        case ReadLock: return pthread_rwlock_rdlock(rwlocks[object]);
        case TryReadLock: return pthread_rwlock_tryrdlock(rwlocks[object]);
        case TimedReadLock: return pthread_rwlock_timedrdlock(rwlocks[object], &limit);
        case WriteLock: return pthread_rwlock_wrlock(rwlocks[object]);
        case TryWriteLock: return pthread_rwlock_trywrlock(rwlocks[object]);
        case TimedWriteLock: return pthread_rwlock_timedwrlock(rwlocks[object], &limit);
        case RwUnlock: return pthread_rwlock_unlock(rwlocks[object]);
        case DestroyRwLock: return pthread_rwlock_destroy(rwlocks[object]);

        case SpinLock: return pthread_spin_lock(spins[object]);
        case SpinTryLock: return pthread_spin_trylock(spins[object]);
        case SpinUnlock: return pthread_spin_unlock(spins[object]);
        case DestroySpin: return pthread_spin_destroy(spins[object]);

        case SemWait: return or_errno(sem_wait(semaphores[object]));
        case SemTryWait: return or_errno(sem_trywait(semaphores[object]));
        case SemTimedWait: return or_errno(sem_timedwait(semaphores[object], &limit));
        case SemPost: return or_errno(sem_post(semaphores[object]));
        case SemGetValue: return sem_getvalue(semaphores[object], &result) == 0 ? result : errno;
        case DestroySemaphore: return or_errno(sem_destroy(semaphores[object]));

        case BarrierWait: return pthread_barrier_wait(barriers[object]);
        case DestroyBarrier: return pthread_barrier_destroy(barriers[object]);

        case FutexWait: return or_errno(syscall(SYS_futex, variables[object], FUTEX_WAIT, at->value, NULL));
        case FutexTimedWait:
            return or_errno(syscall(SYS_futex, variables[object], FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, at->value,
                                    &limit, NULL, FUTEX_BITSET_MATCH_ANY));
        case FutexWake: return or_errno(syscall(SYS_futex, variables[object], FUTEX_WAKE, at->value));

        case Sleep: return usleep(1000);
        case Yield: return sched_yield();
        case Choose: return coopcheck_choose(at->value);
        case Read: return *variables[object];
        case Write: *variables[object] = at->value; return 0;
        case WriteRegister:
            *variables[object] = (int)thread->registers[at->reg] + at->value;
            return thread->registers[at->reg];
        case FetchAdd: result = *variables[object]; *variables[object] = result + at->value; return result;
        case Exit: _exit(at->value);
        case Set: return at->value;
        case Add: return thread->registers[at->reg] + at->value;
        default: _exit(broken);
    }
}

static void run(struct thread* thread, int place, int end) {
    while (place != end) {
        const struct instruction* at = &code[thread->number][place];
        const int64_t content = at->reg >= 0 ? thread->registers[at->reg] : 0;
        switch (at->code) {
            case Jump: place = at->target; continue;
            case JumpIfEqual: place = content == at->value ? at->target : place + 1; continue;
            case JumpIfNotEqual: place = content != at->value ? at->target : place + 1; continue;
            case OnceEnter:
                thread->once_from = place + 1;
                thread->once_end = at->target - 1;
                pthread_once(onces[at->object], routine);
                place = at->target;
                continue;
            case AssertEqual: check(thread, place, content == at->value, "=="); break;
            case AssertNotEqual: check(thread, place, content != at->value, "!="); break;
            default: {
                const int64_t result = carry_out(thread, at);
                if (at->reg >= 0) thread->registers[at->reg] = result;
            }
        }
        ++place;
    }
}

// ---------------------------------------------------------------------------------------------- reading the text

static void complain(const char* what) {
    fprintf(stderr, "interpreter: cannot read '%s'\n", what);
    exit(broken);
}

static int next_number(void) {
    const char* word = strtok(NULL, " ");
    if (word == NULL) complain("the end of the text");
    return atoi(word);
}

static void make_mutex(pthread_mutex_t* mutex, int kind, int robust) {
    static const int kinds[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kinds[kind]);
    if (robust) pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(mutex, &attributes);
}

static void make_rwlock(pthread_rwlock_t* lock, int prefer_writer) {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    if (prefer_writer) pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(lock, &attributes);
}

static int bounded(int* count, int most) {
    if (*count == most) complain("so many objects");
    return (*count)++;
}

static void read_instruction(const char* name) {
    if (thread_count == 0) complain(name);
    int known = 0;
    while (known < opcode_count && strcmp(name, opcode_names[known]) != 0) ++known;
    if (known == opcode_count) complain(name);
    const int number = thread_count - 1;
    struct instruction* at = &code[number][bounded(&code_size[number], most_code)];
    at->code = (enum opcode)known;
    at->object = next_number();
    at->value = next_number();
    at->reg = next_number();
    at->target = next_number();
}

static void read_program(char* text) {
    int mutex = 0, condition = 0, rwlock = 0, spin = 0, semaphore = 0, barrier = 0, variable = 0;
    for (const char* word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        if (strcmp(word, "mutex") == 0) {
            const int kind = next_number();
            make_mutex(mutexes[bounded(&mutex, most_objects)], kind, next_number());
        } else if (strcmp(word, "condition") == 0) {
            pthread_cond_init(conditions[bounded(&condition, most_objects)], NULL);
        } else if (strcmp(word, "rwlock") == 0) {
            make_rwlock(rwlocks[bounded(&rwlock, most_objects)], next_number());
        } else if (strcmp(word, "spin") == 0) {
            pthread_spin_init(spins[bounded(&spin, most_objects)], PTHREAD_PROCESS_PRIVATE);
        } else if (strcmp(word, "semaphore") == 0) {
            sem_init(semaphores[bounded(&semaphore, most_objects)], 0, (unsigned)next_number());
        } else if (strcmp(word, "barrier") == 0) {
            pthread_barrier_init(barriers[bounded(&barrier, most_objects)], NULL, (unsigned)next_number());
        } else if (strcmp(word, "variable") == 0) {
            *variables[bounded(&variable, most_variables)] = next_number();
        } else if (strcmp(word, "thread") == 0) {
            bounded(&thread_count, most_threads);
        } else {
            read_instruction(word);
        }
    }
}

int main(int argc, char** argv) {
    if (argc != 2) complain("the arguments");
    read_program(argv[1]);
    handles[0] = pthread_self();
    created[0] = 1;
    body(&threads[0]);
    return broken;
}
