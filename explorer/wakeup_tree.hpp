#pragma once

#include <vector>

#include "core/dependence.hpp"
#include "core/ids.hpp"
#include "core/variant.hpp"
#include "explorer/search_options.hpp"

namespace coopcheck {

/// An event that has not been made (again) yet: whose, and what it will touch.
struct Move {
    ThreadId thread;
    Variant variant;
    Label label;

    [[nodiscard]] bool is(ThreadId other, Variant how) const { return thread == other && variant == how; }
};

[[nodiscard]] inline bool dependent(const Move& one, const Move& other) {
    return one.thread == other.thread || one.label.depends_on(other.label);
}

/// Whether some run that begins with `sequence` is equivalent to one that begins with `move`: it is in the
/// sequence and nothing before depends on it, or it is not and nothing in the sequence depends on it. (A weak
/// initial, in the words of source sets.)
[[nodiscard]] bool can_come_first(const Move& move, const std::vector<Move>& sequence);

/// The same, but it has to be in the sequence (an initial).
[[nodiscard]] bool is_initial(const Move& move, const std::vector<Move>& sequence);

/// What is still to be explored from a place: sequences, with what they begin with in common. The
/// wakeup trees of optimal dynamic partial-order reduction (Abdulla, Aronis, Jonsson, Sagonas).
class WakeupTree {
  public:
    struct Branch;

    /// Unless exploring what is there covers it.
    void insert(std::vector<Move> sequence);
    /// As a branch of its own, unless one begins with it.
    void insert_alone(const Move& move);
    [[nodiscard]] bool empty() const { return branches_.empty(); }
    [[nodiscard]] const std::vector<Branch>& branches() const { return branches_; }
    /// Takes the first branch out. There is one.
    Branch take();
    void clear();
    /// As the first branch.
    void put_back(Branch branch);
    void append(Branch branch);

  private:
    std::vector<Branch> branches_;
};

struct WakeupTree::Branch {
    Move move;
    WakeupTree rest;
};

/// Has a sequence, which reverses a race, run from a place where `sleep` was explored, or is explored by
/// others, and `todo` will be: unless that covers it.
void insert_reversal(const std::vector<Move>& sequence, const std::vector<Move>& sleep, Reduction reduction,
                     WakeupTree& todo);

}  // namespace coopcheck
