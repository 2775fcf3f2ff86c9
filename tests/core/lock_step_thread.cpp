#include "tests/core/lock_step_thread.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <utility>

namespace coopcheck {

namespace {

constexpr int patience_s = 10;

[[noreturn]] void give_up(const char* what) {
    // The thread is stuck in a call and cannot be ended, so the test program cannot go on.
    std::fprintf(stderr, "lock step thread: %s\n", what);
    std::abort();
}

void wait_for(sem_t& semaphore) {
    timespec deadline{};
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += patience_s;
    while (sem_clockwait(&semaphore, CLOCK_MONOTONIC, &deadline) != 0) {
        if (errno == ETIMEDOUT) {
            give_up("a call that should have returned did not");
        }
    }
}

template <typename Condition>
void poll_until(Condition condition, const char* what) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(patience_s);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) {
            give_up(what);
        }
        sched_yield();
    }
}

}  // namespace

LockStepThread::LockStepThread() {
    sem_init(&todo_, 0, 0);
    sem_init(&done_, 0, 0);
    if (pthread_create(&handle_, nullptr, &LockStepThread::main, this) != 0) {
        give_up("no thread could be created");
    }
    wait_for(done_);
}

LockStepThread::~LockStepThread() {
    end();
    if (owned_) {
        pthread_join(handle_, nullptr);
    }
    sem_destroy(&todo_);
    sem_destroy(&done_);
}

void* LockStepThread::main(void* self) {
    static_cast<LockStepThread*>(self)->work();
    return nullptr;
}

void LockStepThread::work() {
    tid_ = gettid();
    sem_post(&done_);
    while (true) {
        wait_for(todo_);
        if (!what_) {
            return;
        }
        in_call_ = true;
        result_ = what_();
        in_call_ = false;
        sem_post(&done_);
    }
}

int LockStepThread::call(std::function<int()> what) {
    begin(std::move(what));
    return finish();
}

void LockStepThread::begin(std::function<int()> what) {
    what_ = std::move(what);
    sem_post(&todo_);
}

int LockStepThread::finish() {
    wait_for(done_);
    return result_;
}

void LockStepThread::wait_until_asleep() const {
    const std::string path = "/proc/self/task/" + std::to_string(tid_) + "/stat";
    const auto asleep = [&] {
        std::string line;
        std::getline(std::ifstream(path), line);
        const std::size_t name_end = line.rfind(") ");  // "tid (name) state ..."
        return in_call_ && name_end != std::string::npos && line[name_end + 2] == 'S';
    };
    poll_until(asleep, "a call that should have waited did not");
}

void LockStepThread::end() {
    if (std::exchange(ended_, true)) {
        return;
    }
    what_ = nullptr;
    sem_post(&todo_);
    // The kernel goes through the robust list and clears the tid for join before it forgets the thread.
    const auto gone = [&] { return syscall(SYS_tgkill, getpid(), tid_, 0) != 0 && errno == ESRCH; };
    poll_until(gone, "a thread that should have ended did not");
}

}  // namespace coopcheck
