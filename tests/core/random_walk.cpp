#include "tests/core/random_walk.hpp"

#include <algorithm>

namespace coopcheck {

namespace {

constexpr std::uint32_t most_threads = 6;

const std::vector<ObjectClass> all_classes{
    ObjectClass::Mutex,     ObjectClass::Condition, ObjectClass::RwLock, ObjectClass::SpinLock,
    ObjectClass::Semaphore, ObjectClass::Barrier,   ObjectClass::Once,   ObjectClass::Futex};

/// What to do with an object of a class; what stands twice is done twice as often.
const std::vector<OpKind>& kinds_of(ObjectClass object_class) {
    using enum OpKind;
    static const std::vector<OpKind> mutex{MutexLock,   MutexLock,   MutexLock,       MutexTryLock,
                                           MutexUnlock, MutexUnlock, MutexConsistent, MutexDestroy};
    static const std::vector<OpKind> condition{CondWait,   CondWait,      CondWait,      CondSignal,
                                               CondSignal, CondBroadcast, CondBroadcast, CondDestroy};
    static const std::vector<OpKind> rwlock{RwReadLock,  RwReadLock,     RwReadLock, RwTryReadLock,
                                            RwWriteLock, RwTryWriteLock, RwUnlock,   RwDestroy};
    static const std::vector<OpKind> spinlock{SpinLock, SpinLock, SpinTryLock, SpinUnlock, SpinDestroy};
    static const std::vector<OpKind> semaphore{SemWait, SemWait,     SemTryWait, SemPost,
                                               SemPost, SemGetValue, SemDestroy, SemClose};
    static const std::vector<OpKind> barrier{BarrierWait, BarrierWait, BarrierWait, BarrierWait,
                                             BarrierDestroy};
    static const std::vector<OpKind> once{OnceEnter};
    static const std::vector<OpKind> futex{FutexWait, FutexWait, FutexWake};
    static const std::vector<OpKind> none{
        ThreadCreate,     ThreadJoin, ThreadJoin,  ThreadTryJoin, ThreadDetach, ThreadCancel,
        ThreadExit,       Sleep,      Yield,       Choose,        Read,         Write,
        ReadWrite,        Output,     ProcessExit, Failure,       SemOpen,      SemUnlink,
        ThreadTestCancel, SystemCall};
    switch (object_class) {
        case ObjectClass::Mutex:
            return mutex;
        case ObjectClass::Condition:
            return condition;
        case ObjectClass::RwLock:
            return rwlock;
        case ObjectClass::SpinLock:
            return spinlock;
        case ObjectClass::Semaphore:
            return semaphore;
        case ObjectClass::Barrier:
            return barrier;
        case ObjectClass::Once:
            return once;
        case ObjectClass::Futex:
            return futex;
        case ObjectClass::None:
            break;
    }
    return none;
}

bool is_destroy(OpKind kind) {
    return kind == OpKind::MutexDestroy || kind == OpKind::CondDestroy || kind == OpKind::RwDestroy ||
           kind == OpKind::SpinDestroy || kind == OpKind::SemDestroy || kind == OpKind::BarrierDestroy;
}

}  // namespace

RandomWalk::RandomWalk(RandomSource& random)
    : random_(random),
      model_(ModelOptions{.explore_timeouts = random.percent(75), .spurious_wakeups = random.below(3)}) {
    make_objects();
    const std::uint32_t threads = 2 + random_.below(3);
    for (; next_thread_ < threads; ++next_thread_) {
        const ThreadId thread{next_thread_};
        if (thread != main_thread) {
            model_.add_thread(thread, random_.percent(10));
        }
        model_.set_cancel_enabled(thread, random_.percent(70));
        born_.push_back(thread);
    }
    for (const ThreadId thread : born_) {
        pending_.push_back({thread, random_operation(thread)});
    }
}

void RandomWalk::make_objects() {
    // Few objects, so that threads meet at them: two mutexes and two of other classes.
    classes_ = {ObjectClass::Mutex, ObjectClass::Mutex, random_.one_of(all_classes),
                random_.one_of(all_classes)};
    if (random_.percent(30)) {
        classes_[3] = classes_[2];
    }
    for (std::uint32_t number = 0; number < classes_.size(); ++number) {
        ObjectInit how;
        how.object_class = classes_[number];
        how.mutex_kind = static_cast<MutexKind>(random_.below(3));
        how.robust = how.object_class == ObjectClass::Mutex && random_.percent(40);
        how.rw_policy = static_cast<RwPolicy>(random_.below(2));
        how.value = 1 + random_.below(3);
        if (!random_.percent(2)) {  // a few are never initialized
            static_cast<void>(model_.init(ObjectId{number}, how));
        }
    }
}

ObjectId RandomWalk::some(ObjectClass object_class) {
    std::vector<ObjectId> fitting;
    for (std::uint32_t number = 0; number < classes_.size(); ++number) {
        if (classes_[number] == object_class) {
            fitting.emplace_back(number);
        }
    }
    return random_.one_of(fitting);
}

Operation RandomWalk::release_of(ThreadId thread, ObjectId held) {
    Operation operation;
    operation.object = held;
    switch (model_.object(held).object_class) {
        case ObjectClass::RwLock:
            operation.kind = OpKind::RwUnlock;
            break;
        case ObjectClass::SpinLock:
            operation.kind = OpKind::SpinUnlock;
            break;
        default:
            operation.kind =
                model_.object(held).inconsistent && model_.object(held).owner == thread && random_.percent(60)
                    ? OpKind::MutexConsistent
                    : OpKind::MutexUnlock;
            break;
    }
    return operation;
}

Operation RandomWalk::operation_without_object() {
    Operation operation;
    operation.kind = random_.one_of(kinds_of(ObjectClass::None));
    operation.timed = random_.percent(30);
    operation.location =
        operation.kind == OpKind::Output ? Location::output(1) : Location::memory(random_.below(2));
    operation.thread = random_.one_of(born_);
    operation.value = operation.kind == OpKind::Choose ? 3 : 0;
    if (operation.kind == OpKind::SystemCall) {
        operation.value = random_.percent(80) ? 1 : 0;
    }
    if (operation.kind == OpKind::ThreadCreate) {
        if (next_thread_ == most_threads) {
            operation.kind = OpKind::Yield;
        } else {
            operation.thread = ThreadId{next_thread_};
            operation.value = random_.below(2);
            next_thread_ += 1;
        }
    }
    return operation;
}

Operation RandomWalk::operation_of_class(ThreadId thread, ObjectClass object_class) {
    Operation operation;
    operation.object = some(object_class);
    operation.kind = random_.one_of(kinds_of(object_class));
    if (is_destroy(operation.kind) && random_.percent(70)) {
        operation.kind = kinds_of(object_class).front();
    }
    operation.timed = random_.percent(40);
    if (operation.kind == OpKind::FutexWait) {
        operation.value = random_.percent(80) ? 1 : 0;
    } else if (operation.kind == OpKind::SemClose) {
        operation.value = random_.percent(30) ? 1 : 0;
    } else if (operation.kind == OpKind::FutexWake) {
        operation.value = random_.below(4);
    } else if (operation.kind == OpKind::CondWait) {
        operation.mutex = some(ObjectClass::Mutex);
        for (const ObjectId held : model_.held(thread)) {
            if (classes_[held.index()] == ObjectClass::Mutex && random_.percent(90)) {
                operation.mutex = held;
            }
        }
    }
    return operation;
}

Operation RandomWalk::random_operation(ThreadId thread) {
    for (std::uint32_t number = 0; number < classes_.size(); ++number) {
        const ObjectId object{number};
        if (classes_[number] == ObjectClass::Once && model_.known(object) &&
            model_.object(object).owner == thread && random_.percent(50)) {
            Operation operation;
            operation.kind = random_.percent(70) ? OpKind::OnceDone : OpKind::OnceAbort;
            operation.object = object;
            return operation;
        }
    }
    if (!model_.held(thread).empty() && random_.percent(35)) {
        return release_of(thread, random_.one_of(model_.held(thread)));
    }
    if (random_.percent(25)) {
        return operation_without_object();
    }
    return operation_of_class(thread, random_.one_of(classes_));
}

void RandomWalk::move_on(Pending& pending, const Outcome& outcome) {
    if (outcome.parked_at) {
        pending.operation = *outcome.parked_at;
    } else if (outcome.cancelled) {
        pending.operation = Operation{};
        pending.operation.kind = model_.held(pending.thread).empty() ? OpKind::ThreadExit : OpKind::Yield;
    } else {
        pending.operation = random_operation(pending.thread);
    }
}

void RandomWalk::drop_ended() {
    std::erase_if(pending_, [&](const Pending& pending) { return !model_.live(pending.thread); });
}

std::optional<Operation> RandomWalk::step() {
    const std::size_t start = random_.below(pending_.size());
    for (std::size_t turn = 0; turn < pending_.size(); ++turn) {
        Pending& chosen = pending_[(start + turn) % pending_.size()];
        const Operation operation = chosen.operation;
        std::vector<Variant> variants = model_.options(chosen.thread, operation);
        if (variants.empty() && model_.can_time_out(chosen.thread, operation) && random_.percent(20)) {
            variants.push_back(Variant::timeout());
        }
        if (variants.empty()) {
            continue;
        }
        SyncModel next = model_;
        const Outcome outcome = next.apply(chosen.thread, operation, random_.one_of(variants));
        if (outcome.misuse || operation.kind == OpKind::ProcessExit || operation.kind == OpKind::Failure) {
            chosen.operation = random_operation(chosen.thread);
            continue;
        }
        model_ = next;
        move_on(chosen, outcome);
        if (operation.kind == OpKind::ThreadCreate) {
            Operation start_of_thread;
            start_of_thread.kind = OpKind::ThreadStart;
            born_.push_back(operation.thread);
            pending_.push_back({operation.thread, start_of_thread});
        }
        drop_ended();
        return pending_.empty() ? std::nullopt : std::optional(operation);
    }
    return std::nullopt;
}

}  // namespace coopcheck
