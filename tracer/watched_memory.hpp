#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <unordered_set>
#include <vector>

#include "core/ids.hpp"
#include "tracer/modules.hpp"
#include "tracer/target_types.hpp"
#include "tracer/virtual_thread.hpp"
#include "tracer/writable_memory.hpp"

namespace coopcheck::tracer {

inline constexpr std::uint64_t memory_page = 4096;
[[nodiscard]] constexpr std::uint64_t page_of(std::uint64_t address) { return address & ~(memory_page - 1); }

/// What a run watches, decided when it is launched. Shared by its copies, never changed.
struct WatchPlan {
    /// Every access to data is told (StepResult::accesses).
    bool everything = false;
    /// Of these accesses only the first to a page in each step, as one to the beginning of the page. The page
    /// stays open for the rest of the step, for reading or for everything.
    bool first_touch = false;
    /// Bytes whose accesses are operations.
    std::set<std::uint64_t> visible;
    /// Pages that more than one thread has been seen to access: always closed. Any other page belongs to the
    /// thread that touches it first, and is open for it, until another one touches it, too.
    std::set<std::uint64_t> shared_pages;
    /// Accesses to pages that belong to one thread are told as well.
    bool unshared_too = false;
    /// Bytes that are known to be accessed atomically.
    std::shared_ptr<const std::unordered_set<std::uint64_t>> atomic_bytes;

    /// Accesses to visible bytes are found by breakpoints on the instructions that are known to make them,
    /// not by closing their pages. Where everything is watched only those of known instructions are
    /// operations: the schedules are the same with and without watching.
    bool by_points = false;
    std::unordered_set<std::uint64_t> points;

    /// Some pages are closed.
    [[nodiscard]] bool closes_pages() const { return everything || !by_points; }
    /// An access of this instruction to visible bytes is an operation.
    [[nodiscard]] bool is_point(std::uint64_t instruction) const {
        return !by_points || points.contains(instruction);
    }
    [[nodiscard]] bool is_empty() const { return !everything && visible.empty(); }
    /// A page on which something is visible, or that is shared.
    [[nodiscard]] bool must_stay_closed(std::uint64_t page) const {
        return shared_pages.contains(page) || is_visible(RemoteAddress{page}, memory_page);
    }
    /// Whether one of these bytes is visible.
    [[nodiscard]] bool is_visible(RemoteAddress address, std::uint64_t size) const {
        const auto next = visible.lower_bound(number(address));
        return next != visible.end() && *next < number(address) + size;
    }
};

/// A range of pages that are closed (inaccessible) while the program runs, except for their owner.
struct WatchedRegion {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    /// The thread whose stack it is, or that alone has touched it; invalid for memory that is everybody's.
    ThreadId owner;
    bool closed = false;

    friend bool operator==(const WatchedRegion&, const WatchedRegion&) = default;
};

/// Which pages of a target are closed at the moment. A plain value; who changes the pages themselves tells
/// it.
class WatchedMemory {
  public:
    /// Looks through the memory of a process in which nothing is closed.
    void find_regions(const std::vector<MemoryMap>& maps, const Modules& modules,
                      std::span<const VirtualThread* const> threads, const WatchPlan& plan);
    [[nodiscard]] std::vector<WatchedRegion>& regions() { return regions_; }
    [[nodiscard]] const std::vector<WatchedRegion>& regions() const { return regions_; }
    /// The region that contains the address, if it is watched.
    [[nodiscard]] WatchedRegion* find(std::uint64_t address);
    [[nodiscard]] const WatchedRegion* find(std::uint64_t address) const;
    [[nodiscard]] bool is_closed(std::uint64_t address) const;
    /// The closed parts of these pages.
    [[nodiscard]] std::vector<WatchedRegion> closed_parts(std::uint64_t start, std::uint64_t end) const;

    /// Pages that are open for a moment although their region is closed.
    [[nodiscard]] const std::vector<WatchedRegion>& opened() const { return opened_; }
    void add_opened(const WatchedRegion& pages) { opened_.push_back(pages); }
    void clear_opened() { opened_.clear(); }
    /// A page, which is open now, belongs to the thread from now on.
    void give(std::uint64_t page, ThreadId owner);

  private:
    std::vector<WatchedRegion> regions_;  // sorted
    std::vector<WatchedRegion> opened_;
};

}  // namespace coopcheck::tracer
