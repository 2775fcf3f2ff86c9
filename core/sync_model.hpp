#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/footprint.hpp"
#include "core/ids.hpp"
#include "core/misuse.hpp"
#include "core/operation.hpp"
#include "core/sync_objects.hpp"
#include "core/variant.hpp"

namespace coopcheck {

/// Which kinds of nondeterminism are offered as variants.
struct ModelOptions {
    /// A timed wait may time out whenever it would have to wait. When off, options() never offers a
    /// timeout, but apply() still takes one (the search fires it when nothing else can run).
    bool explore_timeouts = false;
    /// How many spurious wake-ups of conditions one schedule may have.
    std::uint32_t spurious_wakeups = 0;
};

/// What carrying out an operation led to.
struct Outcome {
    /// What the call returns: 0 or an error number; the value of choose() and sem_getvalue();
    /// PTHREAD_BARRIER_SERIAL_THREAD (-1) for one thread of a barrier.
    int result = 0;
    std::optional<Misuse> misuse = std::nullopt;
    /// The thread does not run on: it is parked at once at this second half of the operation.
    std::optional<Operation> parked_at = std::nullopt;
    /// OnceEnter: the caller is to run the routine and then do OnceDone.
    bool run_once_routine = false;
    /// The thread is to unwind because it was cancelled.
    bool cancelled = false;
    /// Something that another thread can have was given back (a recursive unlock that leaves
    /// the mutex held gives nothing back).
    bool released = false;

    friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// The state of every mutex, condition, rwlock, spin lock, semaphore, barrier, once, futex and
/// thread: is this operation enabled, what does it change, is it a misuse.
///
/// A plain value: copy it to make a checkpoint, compare or hash it to compare states. It never
/// blocks and knows nothing of processes. Call order: init() an object before operating on it
/// (an operation on an unknown object is the misuse UseBeforeInit), add_thread() before a thread's first
/// operation, apply() only with a variant that options() offers (or Timeout for a timed operation).
/// After a misuse the state is not to be used further: the run is over.
class SyncModel {
  public:
    explicit SyncModel(ModelOptions options = {});

    /// (Re)starts the life of an object. Returns the misuse of bad arguments.
    std::optional<Misuse> init(ObjectId object, const ObjectInit& how);
    [[nodiscard]] bool known(ObjectId object) const;
    /// A thread that exists from now on. ThreadCreate does it for the thread it creates.
    void add_thread(ThreadId thread, bool detached = false);
    void set_cancel_enabled(ThreadId thread, bool enabled);

    /// True if the operation can be carried out now, misuse included.
    [[nodiscard]] bool enabled(ThreadId thread, const Operation& operation) const;
    /// All variants the operation can have now; empty if it is not enabled.
    void options(ThreadId thread, const Operation& operation, std::vector<Variant>& variants) const;
    [[nodiscard]] std::vector<Variant> options(ThreadId thread, const Operation& operation) const;
    /// True if the operation is timed, waits now, and would return ETIMEDOUT if time passed.
    [[nodiscard]] bool can_time_out(ThreadId thread, const Operation& operation) const;

    Outcome apply(ThreadId thread, const Operation& operation, Variant variant);

    /// The locations the operation touches if carried out now; of an operation that is not enabled (ask
    /// with Normal), those whose change can enable it. `locks` says whether locks that
    /// protect data count (footprints from locks) or not (footprints from data).
    void footprint(ThreadId thread, const Operation& operation, Variant variant, bool locks,
                   Footprint& footprint) const;

    /// The threads that have to give something back before the (disabled) operation can go on;
    /// empty where that is not tied to a thread (conditions, semaphores, barriers).
    [[nodiscard]] std::vector<ThreadId> blockers(ThreadId thread, const Operation& operation) const;

    [[nodiscard]] const ObjectState& object(ObjectId object) const;
    [[nodiscard]] const ThreadState& thread(ThreadId thread) const;
    /// Locks the thread holds, in the order of acquisition.
    [[nodiscard]] const std::vector<ObjectId>& held(ThreadId thread) const {
        return this->thread(thread).held;
    }
    [[nodiscard]] bool knows(ThreadId thread) const { return thread.index() < threads_.size(); }
    [[nodiscard]] bool live(ThreadId thread) const;
    [[nodiscard]] std::uint32_t spurious_left() const { return spurious_left_; }

    // For a search that asks what would be enabled had some operations not been made: the states of what they
    // touched, as they were before. The object or thread is known.
    void put_back(ObjectId object, ObjectState state) { at(object) = std::move(state); }
    void put_back(ThreadId thread, ThreadState state) { at(thread) = std::move(state); }
    void put_back_spurious(std::uint32_t left) { spurious_left_ = left; }

    // For one that follows what steps do without making them.
    [[nodiscard]] std::span<const ObjectState> objects() const { return objects_; }
    [[nodiscard]] std::span<const ThreadState> threads() const { return threads_; }
    /// Known or not before.
    void set(ObjectId object, ObjectState state);

    [[nodiscard]] std::size_t hash() const;
    [[nodiscard]] const ModelOptions& model_options() const { return options_; }

    friend bool operator==(const SyncModel& left, const SyncModel& right) {
        return left.spurious_left_ == right.spurious_left_ && left.objects_ == right.objects_ &&
               left.threads_ == right.threads_;
    }

  private:
    ObjectState& at(ObjectId object) { return objects_[object.index()]; }
    ThreadState& at(ThreadId thread) { return threads_[thread.index()]; }
    [[nodiscard]] std::optional<Misuse> object_misuse(const Operation& operation) const;
    [[nodiscard]] bool cancel_pending(ThreadId thread, const Operation& operation) const;
    Outcome cancelled(ThreadId thread, int result);
    [[nodiscard]] bool ready(ThreadId thread, const Operation& operation) const;
    [[nodiscard]] bool mutex_ready(ThreadId thread, const ObjectState& mutex,
                                   const Operation& operation) const;
    [[nodiscard]] bool rw_ready(ThreadId thread, const Operation& operation) const;
    void wake_options(const Operation& operation, std::vector<Variant>& variants) const;

    Outcome apply_thread(ThreadId thread, const Operation& operation, Variant variant);
    Outcome apply_mutex(ThreadId thread, const Operation& operation);
    Outcome apply_condition(ThreadId thread, const Operation& operation, Variant variant);
    Outcome apply_rwlock(ThreadId thread, const Operation& operation);
    Outcome apply_spinlock(ThreadId thread, const Operation& operation);
    Outcome apply_semaphore(ThreadId thread, const Operation& operation);
    Outcome apply_barrier(ThreadId thread, const Operation& operation);
    Outcome apply_once(ThreadId thread, const Operation& operation);
    Outcome apply_futex(ThreadId thread, const Operation& operation, Variant variant);
    Outcome apply_timeout(ThreadId thread, const Operation& operation);

    int take_mutex(ThreadId thread, ObjectId object);
    void give_mutex_up(ThreadId thread, ObjectId object);
    void hold(ThreadId thread, ObjectId object);
    void let_go(ThreadId thread, ObjectId object);
    Outcome end_thread(ThreadId thread);
    void wake(ThreadId thread, WakeReason reason) { at(thread).wake = reason; }

    ModelOptions options_;
    std::uint32_t spurious_left_ = 0;
    std::vector<ObjectState> objects_;
    std::vector<ThreadState> threads_;
};

}  // namespace coopcheck

template <>
struct std::hash<coopcheck::SyncModel> {
    std::size_t operator()(const coopcheck::SyncModel& model) const noexcept { return model.hash(); }
};
