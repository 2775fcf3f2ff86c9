#include "tracer/watchdog.hpp"

#include <csignal>

namespace coopcheck::tracer {

Watchdog::Watchdog(std::chrono::milliseconds limit) : limit_(limit), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
    {
        const std::lock_guard guard(mutex_);
        stop_ = true;
    }
    stopping_.notify_one();
    thread_.join();
}

void Watchdog::watch() {
    constexpr int looks_per_limit = 4;
    std::uint64_t seen = 0;
    int unchanged = 0;
    std::unique_lock lock(mutex_);
    while (!stopping_.wait_for(lock, limit_ / looks_per_limit, [this] { return stop_; })) {
        const std::uint64_t now = waits_.load(std::memory_order_relaxed);
        const pid_t process = process_.load(std::memory_order_relaxed);
        unchanged = now == seen && process != 0 ? unchanged + 1 : 0;
        seen = now;
        if (unchanged < looks_per_limit) continue;
        unchanged = 0;
        barked_at_ = now;
        ::kill(process, SIGSTOP);
    }
}

}  // namespace coopcheck::tracer
