#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/execution.hpp"
#include "tracer/watched_memory.hpp"

namespace coopcheck::tracer {

/// What was learnt about a program's memory in all runs of a search.
struct WatchKnowledge {
    /// Bytes whose accesses are to be operations, as the search wants it.
    std::set<std::uint64_t> visible;
    /// Bytes that a loop waits for to change.
    std::set<std::uint64_t> awaited;
    /// Those of them that a thread looks at in a loop that does something meanwhile: the same value again
    /// means that it waits, whatever else has changed.
    std::set<std::uint64_t> polled;
    /// Pages that more than one thread accesses.
    std::set<std::uint64_t> shared_pages;
    /// Bytes that lock-prefixed instructions access: all their accesses are atomic ones.
    std::unordered_set<std::uint64_t> atomic_bytes;
    /// Of instructions of the runtime libraries: whether they look for something with vector registers.
    std::unordered_map<std::uint64_t, bool> scans;
    /// Instructions met whose accesses cannot be told in full.
    std::set<std::uint64_t> obscure;
    /// Instructions that access visible memory and cannot have a breakpoint.
    std::set<std::uint64_t> out_of_reach;
    /// System calls that accessed visible memory, which is then no operation of its own.
    bool visible_in_system_call = false;
    /// Accesses to pages that belong to one thread are told as well: for tests.
    bool unshared_too = false;
    /// pthread_create has failed: nothing that it does is passed over any more.
    bool creates_in_vain = false;
    /// Watching of a run was given up because there was no end of it.
    bool gave_up = false;
    /// In a step that had no end of them accesses were not watched.
    bool left_step = false;
    /// In stops of the program.
    std::size_t cost = 0;
    /// Some run was watched: what is learnt about memory can be made visible.
    bool is_used = false;
    /// Visible memory is found by breakpoints (WatchPlan::by_points).
    bool by_points = false;
    /// An instruction was seen to access visible memory that has no breakpoint in the runs of now.
    bool missed_point = false;

    /// Instructions that have breakpoints: the same in all runs until the search begins again.
    std::unordered_set<std::uint64_t> points;

    void note_accessor(std::uint64_t instruction, std::uint64_t address, std::uint64_t size);
    /// Learnt by another search.
    void know_point(std::uint64_t instruction) { told_.insert(instruction); }
    /// The search begins again: whatever was seen to access visible bytes, or bytes beside them, becomes a
    /// point.
    void renew_points();
    [[nodiscard]] std::shared_ptr<const WatchPlan> plan(Watching watching) const;

  private:
    /// Which instructions access memory, by words of eight bytes.
    std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> accessors_;
    std::unordered_set<std::uint64_t> told_;
    /// Instructions that access so much at once that it is not told word by word.
    std::unordered_set<std::uint64_t> wide_accessors_;
};

}  // namespace coopcheck::tracer
