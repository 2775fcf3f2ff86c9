#include "explorer/block_rules.hpp"

#include <algorithm>

#include "explorer/faults.hpp"

namespace coopcheck {

namespace {

/// An operation at which a thread can have to wait.
bool can_block(OpKind kind) {
    return traits(kind).mover == Mover::Acquire || kind == OpKind::FutexResume || kind == OpKind::CondWait ||
           kind == OpKind::BarrierWait || kind == OpKind::FutexWait || kind == OpKind::SystemCall;
}

/// The locks that reverse lock chain analysis understands: one owner, no time limit.
bool is_plain_lock(ObjectClass object_class) {
    return object_class == ObjectClass::Mutex || object_class == ObjectClass::SpinLock;
}

/// The object whose acquire or release the operation is, for the thread itself not a nested one. A reader
/// that reads again may have to wait for a writer that has come in between, if writers are preferred: that is
/// nested.
ObjectId own_object(const Operation& operation, const SyncModel& model) {
    if (operation.kind == OpKind::RwReadLock && model.known(operation.object) &&
        model.object(operation.object).rw_policy == RwPolicy::PreferWriter) {
        return ObjectId{};
    }
    return operation.mutex.valid() ? operation.mutex : operation.object;
}

}  // namespace

void BlockRules::observe(ThreadId thread, const Operation& operation, const Monitors& monitors,
                         const SyncModel& model) {
    if (options_.bound && options_.granularity == Granularity::Operations &&
        options_.footprints == FootprintSource::Locks) {
        return;  // every operation is a block, and every lock counts: there is nothing to assume
    }
    const OpTraits& row = traits(operation.kind);
    if (operation.kind == OpKind::ThreadTryJoin ||
        (operation.kind == OpKind::ThreadJoin && operation.timed && model_options_.explore_timeouts)) {
        assumptions_.see_exit_test();
    }
    if (operation.kind == OpKind::ThreadJoin) {
        assumptions_.see_join(thread, operation.thread);
        // The join of a thread that has ended is not cancelled.
        const ThreadState& state = model.thread(thread);
        if (state.cancel_requested && state.cancel_enabled && operation.thread != thread) {
            assumptions_.see_exit_test();
        }
    }
    // Who detaches another thread can tell whether it was joined.
    if (operation.kind == OpKind::ThreadDetach && operation.thread != thread) {
        assumptions_.see_exit_test();
    }
    if (row.object_class != ObjectClass::None) {
        if (row.tests_holders || (operation.timed && model_options_.explore_timeouts)) {
            assumptions_.see_test(operation.object);
        }
        assumptions_.see_use(thread, operation.object, options_.ignore_unshared_locks);
        if (operation.kind == OpKind::CondWait) {
            assumptions_.see_wait(operation.object, operation.mutex);
            assumptions_.see_use(thread, operation.mutex, options_.ignore_unshared_locks);
        }
        if (signals_under_mutex(thread, operation, model)) {
            assumptions_.see_signal_inside_block(operation.object);
        }
    }
    if (options_.nested_locks == NestedLocks::Auto && options_.find_deadlocks && !executes_nesting() &&
        !fault(Fault::TrustNesting)) {
        observe_nesting(thread, operation, monitors, model);
    }
}

void BlockRules::observe_nesting(ThreadId thread, const Operation& operation, const Monitors& monitors,
                                 const SyncModel& model) {
    if (operation.kind == OpKind::MutexUnlock || operation.kind == OpKind::SpinUnlock) {
        // Out of nesting order: the theorem about deadlocks (6.4) does not hold.
        const std::vector<ObjectId>& held = model.held(thread);
        const bool is_held = std::find(held.begin(), held.end(), operation.object) != held.end();
        const bool stays_held = model.object(operation.object).count > 1;
        if (is_held && !stays_held && held.back() != operation.object) {
            assumptions_.require_executed_nesting();
        }
        return;
    }
    if (operation.timed) {
        assumptions_.require_executed_nesting();
        return;
    }
    if (!can_block(operation.kind) ||
        !holds_something(thread, monitors, model, own_object(operation, model))) {
        return;
    }
    const std::vector<ObjectId>& held = model.held(thread);
    const bool plain =
        is_plain_lock(traits(operation.kind).object_class) && monitors.of(thread).others.empty() &&
        std::all_of(held.begin(), held.end(),
                    [&](ObjectId object) { return is_plain_lock(model.object(object).object_class); });
    if (!plain) {
        assumptions_.require_executed_nesting();
        return;
    }
    for (const ObjectId outer : held) {
        if (outer != operation.object && assumptions_.see_lock_order(thread, outer, operation.object)) {
            assumptions_.require_executed_nesting();
        }
    }
}

bool BlockRules::signals_under_mutex(ThreadId thread, const Operation& operation,
                                     const SyncModel& model) const {
    if (operation.kind != OpKind::CondSignal && operation.kind != OpKind::CondBroadcast) {
        return false;
    }
    const std::set<ObjectId>& mutexes = assumptions_.mutexes_of(operation.object);
    const std::vector<ObjectId>& held = model.held(thread);
    return !mutexes.empty() && std::all_of(mutexes.begin(), mutexes.end(), [&](ObjectId mutex) {
        return std::find(held.begin(), held.end(), mutex) != held.end();
    });
}

bool BlockRules::alone(ThreadId thread, const Operation& operation, const SyncModel& model) const {
    const OpTraits& row = traits(operation.kind);
    if (operation.kind == OpKind::Output) {
        return options_.output_matters;
    }
    if (row.mover == Mover::Alone) {
        return !signals_under_mutex(thread, operation, model);
    }
    return operation.timed && row.mover == Mover::Acquire;
}

bool BlockRules::ends_before(ThreadId thread, const Operation& operation, const Monitors& monitors,
                             const SyncModel& model) const {
    if (operation.trusted) {
        return false;
    }
    if (options_.granularity == Granularity::Operations || alone(thread, operation, model)) {
        return true;
    }
    return executes_nesting() && can_block(operation.kind) &&
           holds_something(thread, monitors, model, own_object(operation, model));
}

bool BlockRules::executes_nesting() const {
    return options_.granularity == Granularity::Operations || options_.nested_locks == NestedLocks::Execute ||
           (options_.nested_locks == NestedLocks::Auto && assumptions_.execute_nesting());
}

bool BlockRules::ends_after(ThreadId thread, const StepResult& step, const SyncModel& model) const {
    const Operation& operation = step.operation;
    if (step.outcome.parked_at) {
        return true;  // the thread waits now
    }
    if (operation.trusted) {
        return false;
    }
    if (options_.granularity == Granularity::Operations || step.variant.kind == Variant::Kind::Timeout ||
        step.outcome.cancelled || alone(thread, operation, model)) {
        return true;
    }
    const OpTraits& row = traits(operation.kind);
    if (row.object_class != ObjectClass::None && assumptions_.tested(operation.object) &&
        !fault(Fault::IgnoreTestedObjects)) {
        return true;
    }
    if (operation.kind == OpKind::ThreadJoin && assumptions_.exits_tested()) {
        return true;
    }
    if (row.mover != Mover::Release || !step.outcome.released) {
        return false;
    }
    if (operation.kind == OpKind::ThreadCreate && fault(Fault::NoBlockEndAtCreate)) {
        return false;
    }
    const bool unshared =
        options_.ignore_unshared_locks && is_lock(row.object_class) && !assumptions_.shared(operation.object);
    return !unshared;
}

bool BlockRules::is_private(ThreadId thread, const Operation& operation, const SyncModel& model) const {
    return operation.kind == OpKind::ThreadStart ||
           (operation.kind == OpKind::ThreadExit && model.held(thread).empty() &&
            !assumptions_.exits_tested());
}

bool BlockRules::counts_locks(const Operation& operation, const SyncModel& model) const {
    if (options_.footprints == FootprintSource::Locks || assumptions_.tested(operation.object)) {
        return true;
    }
    // Who locks a robust mutex first after a death gets told: its state is data.
    const auto robust = [&](ObjectId object) {
        return object.valid() && model.known(object) && model.object(object).robust;
    };
    return robust(operation.object) || robust(operation.mutex);
}

}  // namespace coopcheck
