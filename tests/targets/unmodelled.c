// Ways to wait for another thread that coopcheck does not know.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void* nothing(void* argument) { return argument; }

static int share_a_mutex(void) {
    pthread_mutex_t* shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(shared, &attributes);
    pthread_mutex_lock(shared);
    const pid_t child = fork();
    if (child == 0) _exit(pthread_mutex_trylock(shared) == 0);
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

int main(int count, char** arguments) {
    static unsigned word;
    pthread_t thread;
    sigset_t set;
    const char* what = count > 1 ? arguments[1] : "";
    const int file = open(arguments[0], O_RDONLY);
    pthread_create(&thread, NULL, nothing, NULL);
    sigemptyset(&set);
    if (!strcmp(what, "futex_lock_pi")) syscall(SYS_futex, &word, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
    if (!strcmp(what, "futex_requeue")) syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE, 1, 1, &word, 0);
    if (!strcmp(what, "futex_waitv")) syscall(449, NULL, 0, 0, NULL, 0);
    if (!strcmp(what, "semget")) semget(IPC_PRIVATE, 1, 0600);
    if (!strcmp(what, "msgget")) msgget(IPC_PRIVATE, 0600);
    if (!strcmp(what, "mq_open")) mq_open("/coopcheck", O_RDONLY);
    if (!strcmp(what, "flock")) flock(file, LOCK_SH);
    if (!strcmp(what, "signalfd4")) signalfd(-1, &set, 0);
    if (!strcmp(what, "shared_mutex")) share_a_mutex();
    if (!strcmp(what, "io_uring_setup")) printf("%ld\n", syscall(SYS_io_uring_setup, 1, NULL));
    pthread_join(thread, NULL);
    return 0;
}
