#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/sync_model.hpp"
#include "explorer/event.hpp"
#include "explorer/event_order.hpp"

namespace coopcheck {

/// An operation of a path, carried out or not.
struct OperationOnPath {
    /// In the path's EventOrder.
    std::size_t number = 0;
    ThreadId thread;
    Operation operation;
    const Label* label = nullptr;
    /// It was carried out.
    const Event* event = nullptr;
};

/// The state in which an operation would be if some events of its path had not been made: answered from the
/// states that the events keep (StatesBefore), without running anything.
class Rewind {
  public:
    /// For each event of the path whether it is not made.
    using Removed = std::vector<char>;

    /// All of these outlive the answers. `end` is the state after the events.
    void look_at(const std::vector<const Event*>& events, const EventOrder& order, const SyncModel& end);

    /// As far as the operation can tell; until back(). Nothing before event `at` is removed, and nothing that
    /// happens after something removed is left.
    [[nodiscard]] SyncModel& without(const Removed& removed, std::size_t at, const OperationOnPath& late);
    void back(const OperationOnPath& late);

  private:
    void rewind_object(ObjectId object, const Removed& removed, std::size_t at);
    void rewind_thread(ThreadId thread, const Removed& removed, std::size_t at);
    void rewind_own_thread(const Removed& removed, std::size_t at, const OperationOnPath& late);

    /// A state before an event that could change it.
    template <typename State>
    struct Before {
        std::size_t number = 0;
        const State* state = nullptr;
    };
    template <typename State>
    using Befores = std::vector<Before<State>>;
    /// Those of the events from `at` on, in their order.
    template <typename State, typename Id>
    [[nodiscard]] static std::span<const Before<State>> from(const std::vector<Befores<State>>& all, Id id,
                                                             std::size_t at);

    const std::vector<const Event*>* events_ = nullptr;
    /// By the numbers of objects and threads.
    std::vector<Befores<ObjectState>> of_objects_;
    std::vector<Befores<ThreadState>> of_threads_;
    /// Events that were spurious wake-ups.
    std::vector<std::size_t> spurious_;
    const EventOrder* order_ = nullptr;
    const SyncModel* end_ = nullptr;
    SyncModel scratch_;
};

}  // namespace coopcheck
