#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/execution.hpp"
#include "core/location.hpp"
#include "core/sync_model.hpp"

namespace coopcheck {

/// How an event touches a location. Two events are dependent if they touch the same location in ways that do
/// not commute:
///
///            Read   Add    Write
///     Read    -      x       x
///     Add     x      -       x
///     Write   x      x       x
///
/// Add is a change that commutes with others of its kind: a post of a semaphore, a reader that comes or goes.
enum class Effect : std::uint8_t { Read, Add, Write };

[[nodiscard]] constexpr bool commute(Effect one, Effect other) {
    return one == other && one != Effect::Write;
}

/// What an event (an operation carried out, with its variant) touches. In contrast to a Footprint, which
/// compares operations that are both still to be made, it also tells the order of events that were made: who
/// was woken depends on who woke it. An event keeps its label when independent ones are moved
/// around it, so runs that differ only in that have the same labels: they are equivalent.
class Label {
  public:
    struct Entry {
        Location location;
        Effect effect = Effect::Read;
        friend bool operator==(const Entry&, const Entry&) = default;
    };

    void add(Location location, Effect effect);
    /// Conflicts with everything: the event ended the process, or can only come after everything else.
    void add_world() { add(Location::world(), Effect::Write); }
    [[nodiscard]] bool has_world() const {
        const std::span<const Entry> all = entries();
        return !all.empty() && all.back().location == Location::world();
    }
    [[nodiscard]] bool depends_on(const Label& other) const;
    /// Sorted by location, one entry each.
    [[nodiscard]] std::span<const Entry> entries() const {
        return many_.empty() ? std::span<const Entry>(few_.data(), size_) : std::span<const Entry>(many_);
    }

    friend bool operator==(const Label& one, const Label& other) {
        const std::span<const Entry> left = one.entries();
        const std::span<const Entry> right = other.entries();
        return std::equal(left.begin(), left.end(), right.begin(), right.end());
    }

  private:
    // Labels are copied all the time and are nearly always short: only long ones are on the heap.
    static constexpr std::size_t most_few = 4;
    std::array<Entry, most_few> few_{};
    std::size_t size_ = 0;
    std::vector<Entry> many_;
};

struct LabelOptions {
    /// Orders of output are told apart.
    bool output_matters = true;
};

/// The label of an operation that is carried out (or, if it is not enabled, waits) in the state `before`. A
/// step that turns out to end the run needs add_world() on top (see ends_others()).
[[nodiscard]] Label label_of(const SyncModel& before, ThreadId thread, const Operation& operation,
                             Variant variant, const LabelOptions& options = {});

/// The step cut the other threads off, wherever they were.
[[nodiscard]] inline bool ends_others(const StepResult& step) {
    return step.end && step.end->kind != RunEnd::Kind::AllThreadsEnded;
}

}  // namespace coopcheck
