#pragma once

#include <cstddef>
#include <vector>

#include "core/dependence.hpp"
#include "core/execution.hpp"
#include "explorer/event.hpp"
#include "explorer/event_order.hpp"
#include "explorer/rewind.hpp"
#include "explorer/wakeup_tree.hpp"

namespace coopcheck {

/// A race turned round: from the place before event `at`, this sequence can be run, and leads to a run in
/// which the last of it comes before that event instead of after it. (If other variants of the event would
/// not mind that, it ends with the event.)
struct Reversal {
    std::size_t at = 0;
    std::vector<Move> sequence;
};

/// Finds the races of one path, and what to run to see them the other way round.
///
/// An event races with an operation of another thread that depends on it, if that thread was
/// parked at the operation (or would have got there) without the event, and could have carried it out. With
/// operations that block this is more than two events next to each other: `lock` of one thread races with
/// `lock` of another, the `unlock` between them does not. So what is asked is: with the event and all that
/// happens after it taken out, is the operation enabled? The states that the events keep (StatesBefore)
/// answer that without running anything. Operations that were never carried out (because of a deadlock, or
/// because the process ended) race in the same way.
class Reversals {
  public:
    struct Options {
        LabelOptions labels;
        /// The sequences contain only what happens before the operation, or has to if it is made where they
        /// end; otherwise everything that does not happen after the event. (Source sets need no more; wakeup
        /// trees need all.)
        bool only_past = false;
    };

    explicit Reversals(Options options) : options_(options) {}

    /// `end` is the state after the events. Races whose second event is one of the first `seen` are left out,
    /// unless what comes later could make a difference to them.
    [[nodiscard]] std::vector<Reversal> of(const std::vector<const Event*>& events, std::size_t seen,
                                           const std::vector<PendingOperation>& pending,
                                           const SyncModel& end);

  private:
    using Late = OperationOnPath;
    using Removed = Rewind::Removed;

    void look_back(const Late& late);
    /// Both: true if the operation could have come before as it came after.
    [[nodiscard]] bool reverse(std::size_t at, const Late& late);
    [[nodiscard]] bool try_without(const Removed& removed, std::size_t at, const Late& late);
    /// The reversal that has the operation made like this.
    void add(const Removed& removed, std::size_t at, const Late& late, Move move);
    void remove(Removed& removed, std::size_t event) const;
    /// Which of the events that are left have to come before the operation if it is made like this.
    [[nodiscard]] std::vector<char> past_of(const Move& move, const Removed& removed, std::size_t at,
                                            const Late& late) const;
    /// Carrying the operation out is a misuse. Changes the model; Rewind::back() puts it back.
    [[nodiscard]] bool ends_run(SyncModel& model, ThreadId thread, const Operation& operation,
                                Variant variant);

    Options options_;
    std::vector<const Event*> events_;
    EventOrder order_;
    const SyncModel* end_ = nullptr;
    Rewind rewind_;
    std::vector<Reversal> found_;
};

}  // namespace coopcheck
