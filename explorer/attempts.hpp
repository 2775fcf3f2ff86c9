#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "explorer/event.hpp"
#include "explorer/event_order.hpp"

namespace coopcheck {

/// What counts only where preemptions are counted: a thread that comes to an operation too early has to wait
/// there, and leaving a thread that waits is free. In
///
///     T: lock m     unlock m          y = x
///     U:        x = 1        (lock m)       lock m, x = 2
///
/// U stops between its assignments at no cost because T has the lock; had T been left after its unlock, it
/// would take another preemption to stop U there. So what lets a thread go on (unlock) has to be reversed
/// with what it lets go on (lock), although the lock cannot come before the unlock: it can be tried.
///
/// This matters only if the thread does something on the way there (x = 1) whose order against another's
/// event (y = x) matters, and something from there on (x = 2) that depends on that event, or on what comes
/// after it: otherwise not stopping there leads to an equivalent schedule for no more preemptions.
class Attempts {
  public:
    void look_at(const std::vector<const Event*>& events, const EventOrder& order);

    /// Whether the thread could have come to the operation before event `at`, would have had to wait, and
    /// that matters. `number` is the operation's number in the order; it need not have been carried out.
    [[nodiscard]] bool matters(std::size_t at, std::size_t number, ThreadId thread, const Label& label);

  private:
    using Numbers = std::vector<std::size_t>;
    /// The events of other threads that depend on it.
    [[nodiscard]] const Numbers& dependents(std::size_t event);
    [[nodiscard]] bool is_needed_from(std::size_t number, ThreadId thread, std::size_t event);

    const std::vector<const Event*>* events_ = nullptr;
    const EventOrder* order_ = nullptr;
    std::vector<std::optional<Numbers>> dependents_;
};

}  // namespace coopcheck
