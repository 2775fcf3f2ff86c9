#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

/// Interrupts a target that does not come back. Waiting for a tracee has no time limit in the kernel, so a
/// thread of its own sends SIGSTOP to a target that has been waited for too long.
class Watchdog {
  public:
    explicit Watchdog(std::chrono::milliseconds limit);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    [[nodiscard]] std::chrono::milliseconds limit() const { return limit_; }

    /// Around every wait: two stores into memory.
    void wait_begins(ProcessId process) {
        process_.store(static_cast<pid_t>(process), std::memory_order_relaxed);
        waits_.fetch_add(1, std::memory_order_relaxed);
    }
    void wait_ends() { process_.store(0, std::memory_order_relaxed); }

    /// Whether it has interrupted the wait that ended last; a SIGSTOP that came too late for its wait means
    /// nothing.
    [[nodiscard]] bool has_barked() const {
        return barked_at_.load() == waits_.load(std::memory_order_relaxed);
    }

  private:
    void watch();

    std::chrono::milliseconds limit_;
    std::atomic<pid_t> process_ = 0;
    std::atomic<std::uint64_t> waits_ = 0;
    std::atomic<std::uint64_t> barked_at_ = 0;
    std::mutex mutex_;
    std::condition_variable stopping_;
    bool stop_ = false;
    std::thread thread_;
};

}  // namespace coopcheck::tracer
