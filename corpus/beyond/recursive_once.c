// What is done once asks for what is done once: the log opens its file, and the file says in the log that it was opened.
// No preemption and no second thread: whoever is first waits for itself.
// Fixed: the file says nothing.
#include "corpus/threads.h"

static pthread_once_t log_is_open = PTHREAD_ONCE_INIT;
static int lines;

static void open_log(void);

static void write_line(void) {
    pthread_once(&log_is_open, open_log);  // BUG
    __atomic_add_fetch(&lines, 1, __ATOMIC_SEQ_CST);
}

static void open_log(void) {
#ifndef FIXED
    write_line();
#endif
}

static void* run(void* unused) {
    write_line();
    return unused;
}

// recursive_once [THREADS]
int main(int count, char** arguments) {
    run_threads(number_argument(count, arguments, 1, 2, 1, most_threads), run);
    return 0;
}
