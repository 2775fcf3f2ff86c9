#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/sync_model.hpp"
#include "tests/core/lock_step_thread.hpp"
#include "tests/core/native_objects.hpp"
#include "tests/core/random_source.hpp"
#include "tests/core/whole_call.hpp"

namespace coopcheck {

/// Random calls, each made to SyncModel and to glibc by a real thread; the results have to be equal. Exactly
/// one call is made at a time, and none that SyncModel says would wait for ever or is undefined: those are
/// left out. The exception are waits at a condition and at a barrier, which are made together with what ends
/// them.
class GlibcScript {
  public:
    /// What was called, with which result.
    using Results = std::set<std::pair<OpKind, int>>;

    /// T0 is the calling thread; `workers` threads more take part.
    GlibcScript(RandomSource& random, std::uint32_t workers, Results& results);
    /// Makes that many calls or attempts and then gives everything back.
    void run(int attempts);
    [[nodiscard]] long compared() const { return compared_; }

  private:
    void start_object(ObjectId object);
    void add_worker();
    [[nodiscard]] std::vector<ThreadId> live_threads() const;
    [[nodiscard]] LockStepThread& worker(ThreadId thread) { return *workers_.at(thread.index()); }

    [[nodiscard]] Operation random_operation(ThreadId thread);
    [[nodiscard]] Operation random_thread_operation();
    [[nodiscard]] Operation release_of(ObjectId held);
    [[nodiscard]] bool is_usable(const Operation& operation) const;

    void attempt(ThreadId thread, const Operation& operation);
    void make(ThreadId thread, const Operation& operation, const WholeCall& predicted, bool other);
    void end_worker(ThreadId thread);
    void meet_at_condition(ThreadId waiter, const Operation& wait);
    void meet_at_barrier(ObjectId barrier);
    void compare(ThreadId thread, const Operation& operation, int expected, int actual);
    void give_everything_back();

    RandomSource& random_;
    Results& results_;
    SyncModel model_;
    NativeObjects native_;
    std::vector<ObjectClass> classes_;                      // of the objects, by number
    std::vector<std::unique_ptr<LockStepThread>> workers_;  // by thread number; none for T0
    std::vector<std::string> log_;
    long compared_ = 0;
};

}  // namespace coopcheck
