#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/execution.hpp"
#include "core/footprint.hpp"

namespace coopcheck {

/// Two numbers for a run: one that is equal for equal sequences of choices, and one that is equal for
/// runs that differ only in the order of independent operations (same happens-before). Different runs have
/// different numbers but for accidents of 64 bits.
///
/// An event's number is made of its thread, its operation and the numbers of the events it depends on
/// directly; the sum of all is the same in whichever order independent ones come.
class TraceHash {
  public:
    /// `footprint`: of the step, taken before it was made; its data accesses may be added.
    void step(Choice choice, const Operation& operation, const Footprint& footprint);

    [[nodiscard]] std::uint64_t of_choices() const { return choices_; }
    [[nodiscard]] std::uint64_t of_events() const { return events_; }

  private:
    struct LastTouches {
        std::uint64_t write = 0;
        std::uint64_t reads = 0;  // sum over the reads since
    };

    std::uint64_t choices_ = 0;
    std::uint64_t events_ = 0;
    std::vector<std::uint64_t> last_of_thread_;
    std::unordered_map<Location, LastTouches> touches_;
};

}  // namespace coopcheck
