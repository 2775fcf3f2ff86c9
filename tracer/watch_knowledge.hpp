#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "tracer/watched_memory.hpp"

namespace coopcheck::tracer {

/// What was learnt about a program's memory in all runs of a search.
struct WatchKnowledge {
    /// Bytes whose accesses are to be operations, as the search wants it.
    std::set<std::uint64_t> visible;
    /// Bytes that a loop waits for to change.
    std::set<std::uint64_t> awaited;
    /// Pages that more than one thread accesses.
    std::set<std::uint64_t> shared_pages;
    /// Bytes that lock-prefixed instructions access: all their accesses are atomic ones.
    std::unordered_set<std::uint64_t> atomic_bytes;
    /// Of instructions of the runtime libraries: whether they look for something with vector registers.
    std::unordered_map<std::uint64_t, bool> scans;
    /// Instructions met whose accesses cannot be told in full.
    std::set<std::uint64_t> obscure;
    /// System calls that accessed visible memory, which is then no operation of its own.
    bool visible_in_system_call = false;
    /// Accesses to pages that belong to one thread are told as well: for tests.
    bool unshared_too = false;
    /// Watching of a run was given up because there was no end of it.
    bool gave_up = false;

    [[nodiscard]] std::shared_ptr<const WatchPlan> plan(bool everything) const {
        auto plan = std::make_shared<WatchPlan>();
        plan->everything = everything;
        plan->visible = visible;
        plan->shared_pages = shared_pages;
        plan->unshared_too = unshared_too;
        plan->atomic_bytes = std::make_shared<const std::unordered_set<std::uint64_t>>(atomic_bytes);
        return plan;
    }
};

}  // namespace coopcheck::tracer
