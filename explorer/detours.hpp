#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "core/dependence.hpp"
#include "explorer/assumptions.hpp"
#include "explorer/class_node.hpp"
#include "explorer/event.hpp"
#include "explorer/event_order.hpp"
#include "explorer/fewest_preemptions.hpp"

namespace coopcheck {

/// From a place on a path, instead of the step that was chosen there freely: others first.
struct Detour {
    std::size_t at = 0;
    /// Some of the events from there on, all that happens before them included; or (then it is the only one)
    /// a move that was offered.
    std::vector<Move> sequence;
    /// What every schedule that is looked for there has in common, the sequence included if it is one of
    /// events.
    EventCounts common;
    /// The move.
    std::optional<FewestPreemptions::Expected> move;
    /// Who overtakes the step that was chosen there, after what; nobody if any other variant will do.
    ThreadId overtaker;
    EventCounts before_overtaker;

    /// Tells it from others at the same place.
    [[nodiscard]] std::vector<std::uint32_t> key() const;
};

/// Where within a bound others have to go first.
///
/// Let p be chosen freely at a place, and take a schedule that begins there with others: with w, of which
/// nothing depends on p, and then an operation q of a thread u that does. With p before it, w costs no more
/// preemptions than without: whoever asks for the least of both need not run p before w, and after w nobody
/// knows yet what p costs. So a path with p and w on it is explored, and u is parked at q on it. The path may
/// be one on which q comes much later, or in a state in which it no longer depends on p. So this is what is
/// looked for: an operation of another thread that could depend on p in some state, after events that do not
/// happen after p. From the place before p, u has to come to q first: a step of that, or, if it was there
/// already, q itself, or what q could depend on.
///
/// In contrast to races (explorer/reversal.hpp) nothing between p and q matters, nor whether q could be
/// carried out without p: a schedule that shows that may need more preemptions than the one that is missed.
class Detours {
  public:
    Detours(LabelOptions labels, Assumptions& assumptions) : labels_(labels), assumptions_(assumptions) {}

    /// `end` is the state after the path. The path's places have their BoundedPlace.
    void look_at(const std::vector<ClassNodePtr>& path, const std::vector<PendingOperation>& pending,
                 const SyncModel& end);
    [[nodiscard]] const std::vector<const Event*>& events() const { return events_; }
    [[nodiscard]] const EventOrder& order() const { return order_; }

    /// How many preemptions the schedules that it is for need at least. Within the bound it is all the same
    /// how many, and beyond it the answer may be too low.
    [[nodiscard]] unsigned fewest_of(const Detour& detour, FewestPreemptions& fewest, unsigned bound);
    /// What was, is or will be explored from the place has it.
    [[nodiscard]] bool is_covered(std::size_t at, const std::vector<Move>& sequence) const;
    /// Those that are not covered by what was, is or will be explored from their places, from the first place
    /// on; each is taken, or not, before the next one is looked for.
    void find(FewestPreemptions& fewest, unsigned bound, const std::function<void(const Detour&)>& take);

  private:
    /// An operation of the path, carried out or pending.
    struct Late {
        std::size_t number = 0;
        ThreadId thread;
        Operation operation;
        Label reach;
        /// The last event before it that its thread knew of; none if it is the first of all.
        std::size_t previous = EventOrder::none;
    };

    void note_touches();
    void note_users(const SyncModel& end);
    /// Nobody else touches anything of it.
    [[nodiscard]] bool is_private(std::size_t at) const;
    /// Fills `overtakers_`.
    void look_back(std::size_t index);
    void add_detours(std::size_t at, const Late& late);
    /// A move from a place, alone.
    [[nodiscard]] Detour to(std::size_t at, const Move& move) const;
    /// Every schedule within the bound that is still to be found has the step that was made there.
    [[nodiscard]] bool is_settled(std::size_t at, FewestPreemptions& fewest, unsigned bound);
    /// The sequence of everything from the place on that happens before the event, and the event.
    void add_way_to(std::size_t event, std::size_t at, const Late& late);
    /// What it costs to leave the thread of what was chosen there, instead of letting it go on.
    [[nodiscard]] FewestPreemptions::Expected::Leaving leaving(std::size_t at) const;
    void expect_first(std::size_t at, const EventCounts& after, FewestPreemptions::Question& question) const;
    /// If all of these are in common.
    [[nodiscard]] FewestPreemptions::Question question_of(const Detour& detour, EventCounts common) const;
    /// The same, if instead of the step that was made at `at` some other thread goes on.
    [[nodiscard]] std::optional<unsigned> fewest_without(std::size_t at,
                                                         const FewestPreemptions::Question& with,
                                                         FewestPreemptions& fewest);
    /// The same for the places before from which something else was done than what was chosen.
    void expect_overtaken(std::size_t before, FewestPreemptions::Question& question) const;
    /// Whether some of the schedules that the detour is for might be; and what it needs at most.
    [[nodiscard]] bool is_within(const Detour& detour, FewestPreemptions& fewest, unsigned bound);
    [[nodiscard]] unsigned most_of(const Detour& detour) const;
    /// What comes before everything that the step chosen at a place could be overtaken by.
    [[nodiscard]] EventCounts before_overtakers(std::size_t at, const EventCounts& common) const;
    /// It is parked where it waits for the end of the thread that goes on from the place.
    [[nodiscard]] bool waits_for_end(ThreadId thread, std::size_t at) const;
    /// Who else is alive at a place, or is created by what is in common.
    [[nodiscard]] std::vector<ThreadId> others_at(std::size_t at, const EventCounts& common) const;
    [[nodiscard]] EventCounts past_of(const Move& move, std::size_t at) const;
    /// How many events of the thread come before event `at`.
    [[nodiscard]] std::uint32_t position(ThreadId thread, std::size_t at) const;
    [[nodiscard]] const Event* last_event(ThreadId thread, std::size_t at) const;

    LabelOptions labels_;
    Assumptions& assumptions_;
    const std::vector<ClassNodePtr>* path_ = nullptr;
    std::vector<const Event*> events_;
    EventOrder order_;
    std::vector<Late> late_;
    bool somebody_cancels_ = false;
    std::vector<std::vector<std::size_t>> of_thread_;
    std::map<ThreadId, std::size_t> created_;
    /// Of each event who might have to overtake it, as indices of `late_`.
    std::vector<std::vector<std::size_t>> overtakers_;
    std::vector<char> is_settled_;
    /// Of each place: how many the path had before.
    std::vector<unsigned> preemptions_;
    /// Of each place: what all schedules that are looked for from there have in common.
    std::vector<EventCounts> common_;
    const std::function<void(const Detour&)>* take_ = nullptr;
};

}  // namespace coopcheck
