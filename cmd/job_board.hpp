#pragma once

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "core/error.hpp"

namespace coopcheck::cmd {

inline constexpr std::size_t most_jobs = 256;

/// What the processes of one search tell each other at any time, in memory that they share.
struct JobBoard {
    /// Of all workers since the search was shared.
    std::atomic<std::uint64_t> schedules = 0;
    std::uint64_t most_schedules = 0;
    std::atomic<std::uint64_t> failing = 0;
    /// The most preemptions that a schedule had.
    std::atomic<std::uint32_t> bound = 0;

    struct Wishes {
        std::atomic<bool> give = false;
        std::atomic<bool> stop = false;
    };
    std::array<Wishes, most_jobs> wishes;
};

/// A board in memory that children share.
class SharedBoard {
  public:
    SharedBoard()
        : memory_(
              ::mmap(nullptr, sizeof(JobBoard), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
        if (memory_ == MAP_FAILED) throw Error("There is no memory left for jobs to share.");
        board_ = new (memory_) JobBoard;
    }
    ~SharedBoard() { ::munmap(memory_, sizeof(JobBoard)); }
    SharedBoard(const SharedBoard&) = delete;
    SharedBoard& operator=(const SharedBoard&) = delete;

    JobBoard* operator->() const { return board_; }
    [[nodiscard]] JobBoard& get() const { return *board_; }

  private:
    void* memory_;
    JobBoard* board_ = nullptr;
};

}  // namespace coopcheck::cmd
