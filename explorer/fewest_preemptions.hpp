#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/sync_model.hpp"
#include "explorer/event.hpp"
#include "explorer/event_order.hpp"
#include "explorer/rewind.hpp"

namespace coopcheck {

/// Of a path: how many events of each thread, by its index. Closed under what happens before: an ideal.
using EventCounts = std::vector<std::uint32_t>;

[[nodiscard]] inline std::uint32_t count_of(const EventCounts& counts, std::size_t thread) {
    return thread < counts.size() ? counts[thread] : 0;
}
/// Whether another thread can keep the operation from being carried out.
[[nodiscard]] bool can_wait(OpKind kind);
void join(EventCounts& into, const EventCounts& from);

/// How many preemptions the schedules of a class need at least. The events of a path can be ordered in many
/// ways that are all equivalent; of these the cheapest counts. A shortest way through the sets of events that
/// can have been made, where leaving a thread that could go on costs one.
class FewestPreemptions {
  public:
    /// The next operation of a thread after its events in the set, which is known to come.
    struct Expected {
        ThreadId thread;
        /// What has to come before.
        EventCounts after;
        /// What leaving the thread before it costs.
        enum class Leaving : std::uint8_t {
            Costs,       ///< a preemption, whatever else is done
            UnlessHeld,  ///< the same, unless a thread that was preempted has what it takes
            Ask,         ///< what the states say: the set contains all that can keep it from going on
            Free,        ///< that is not known
        };
        Leaving leaving = Leaving::Free;
    };
    struct Question {
        EventCounts events;
        std::vector<Expected> expected;
        /// The events are all of the run: threads that are left at their last operation could have gone on.
        /// Otherwise more is to come, and who was left last is not known.
        bool to_the_end = false;
        /// Nobody is preempted while it has what another one wants to take.
        bool nothing_held = false;
        /// More than this is all the same.
        unsigned limit = 0;
        /// How many sets of events may be looked at.
        std::size_t effort = 4'000;
    };
    struct Answer {
        /// At least that many; nothing if it is more than the limit.
        std::optional<unsigned> preemptions;
        /// It would have taken too long: the answer is 0.
        bool gave_up = false;
    };

    /// `order` has the pending operations after the events. All of these outlive the answers. Leaving one of
    /// `generous` may cost nothing.
    void look_at(const std::vector<const Event*>& events, const EventOrder& order,
                 const std::vector<PendingOperation>& pending, const SyncModel& end,
                 std::vector<ThreadId> generous);

    [[nodiscard]] bool is_generous(ThreadId thread) const;
    [[nodiscard]] Answer of(const Question& question);
    /// The same, where leaving somebody for free can need a preemption of somebody else.
    [[nodiscard]] Answer of_all(Question question);
    /// The events of the last answer, in an order that needs so many. Expected ones are left out.
    [[nodiscard]] const std::vector<std::size_t>& order() const { return cheapest_; }

  private:
    /// What was made, and who made the last step: the cheapest way there that is known. How many events of
    /// each thread are made is in a row of `made_`.
    struct State {
        std::uint32_t last = no_thread;
        std::uint32_t before = 0;  ///< the state it was come to from
        unsigned preemptions = 0;
    };
    /// To be gone on from, unless a cheaper way there was found meanwhile.
    struct Due {
        std::uint32_t state = 0;
        unsigned preemptions = 0;
    };
    /// How many events of each thread.
    using Row = std::span<const std::uint32_t>;
    static constexpr std::uint32_t no_thread = ~std::uint32_t{0};

    [[nodiscard]] Row row(std::size_t state) const {
        return Row(made_).subspan(state * of_thread_.size(), of_thread_.size());
    }
    [[nodiscard]] bool is_ready(Row made, std::size_t thread) const;
    [[nodiscard]] bool leaving_costs(Row made, std::uint32_t last);
    [[nodiscard]] bool is_enabled(Row made, std::size_t thread);
    /// Makes `removed_` what is not made.
    void remove_but(Row made);
    [[nodiscard]] const Expected* expected_of(std::size_t thread) const;
    /// As long as there is no choice.
    void run_on(std::span<std::uint32_t> made, std::size_t thread, unsigned preemptions);
    void expand(std::uint32_t state);
    void add(std::uint32_t from, std::size_t thread, bool costs);
    /// The state that the row after the last one describes, or none; and where in the table it is, or will be.
    [[nodiscard]] std::pair<std::uint32_t, std::size_t> find_next(std::uint32_t last) const;
    [[nodiscard]] static std::size_t hash(Row made, std::uint32_t last);
    void enlarge_table();
    void note_order(std::uint32_t state);

    const std::vector<const Event*>* events_ = nullptr;
    const EventOrder* order_ = nullptr;
    const SyncModel* end_ = nullptr;
    Rewind rewind_;
    std::vector<ThreadId> generous_;
    /// Of each thread its events and what it is parked at, as numbers of the order.
    std::vector<std::vector<std::size_t>> of_thread_;
    std::vector<PendingOperation> pending_;
    /// Of each event: other threads touch the same.
    std::vector<char> is_shared_;

    const Question* question_ = nullptr;
    std::vector<State> states_;
    std::vector<std::uint32_t> made_;
    /// Where the states are, by their hashes; one more than their numbers. Larger than their number, a power
    /// of two.
    std::vector<std::uint32_t> table_;
    /// For as many preemptions as now, and for one more.
    std::vector<Due> now_;
    std::vector<Due> later_;
    Rewind::Removed removed_;
    /// What is not removed there.
    EventCounts left_;
    std::vector<std::size_t> cheapest_;
};

}  // namespace coopcheck
