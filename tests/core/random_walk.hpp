#pragma once

#include <optional>
#include <vector>

#include "core/sync_model.hpp"
#include "tests/core/random_source.hpp"

namespace coopcheck {

/// A program without sense: threads that do random operations on a few objects, in random order.
/// Every state of it that can be reached without misuse is a state a real program can reach.
class RandomWalk {
  public:
    struct Pending {
        ThreadId thread;
        Operation operation;
    };

    explicit RandomWalk(RandomSource& random);

    [[nodiscard]] const SyncModel& model() const { return model_; }
    /// What every live thread does next; some of it is not enabled, some a misuse.
    [[nodiscard]] const std::vector<Pending>& pending() const { return pending_; }
    /// Carries out one enabled operation that is no misuse; nothing if there is none.
    std::optional<Operation> step();

  private:
    void make_objects();
    [[nodiscard]] ObjectId some(ObjectClass object_class);
    [[nodiscard]] Operation random_operation(ThreadId thread);
    [[nodiscard]] Operation operation_of_class(ThreadId thread, ObjectClass object_class);
    [[nodiscard]] Operation operation_without_object();
    [[nodiscard]] Operation release_of(ThreadId thread, ObjectId held);
    void move_on(Pending& pending, const Outcome& outcome);
    void drop_ended();

    RandomSource& random_;
    SyncModel model_;
    std::vector<ObjectClass> classes_;  // of the objects, by number
    std::vector<Pending> pending_;
    std::vector<ThreadId> born_;
    std::uint32_t next_thread_ = 0;
};

}  // namespace coopcheck
