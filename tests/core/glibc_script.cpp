#include "tests/core/glibc_script.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>

#include "tests/core/model_bench.hpp"

namespace coopcheck {

namespace {

constexpr std::uint32_t object_count = 6;
constexpr std::uint32_t most_workers = 5;
constexpr std::int64_t sem_value_max = 2147483647;

const std::vector<ObjectClass> native_classes{
    ObjectClass::Mutex,     ObjectClass::Condition, ObjectClass::RwLock, ObjectClass::SpinLock,
    ObjectClass::Semaphore, ObjectClass::Barrier,   ObjectClass::Once};

bool is_call(OpKind kind) {
    return kind != OpKind::CondResume && kind != OpKind::RwWriteResume && kind != OpKind::BarrierResume &&
           kind != OpKind::OnceDone && kind != OpKind::OnceAbort;
}

bool takes_time_limit(OpKind kind) {
    return kind == OpKind::MutexLock || kind == OpKind::CondWait || kind == OpKind::RwReadLock ||
           kind == OpKind::RwWriteLock || kind == OpKind::SemWait;
}

bool is_destroy(OpKind kind) {
    return kind == OpKind::MutexDestroy || kind == OpKind::CondDestroy || kind == OpKind::RwDestroy ||
           kind == OpKind::SpinDestroy || kind == OpKind::SemDestroy || kind == OpKind::BarrierDestroy;
}

bool is_quiet(const ObjectState& state) {
    return !state.owner.valid() && state.readers.empty() && state.waiters.empty() &&
           state.condition_waits == 0;
}

/// Misuses for which glibc returns a result and does no harm.
bool is_harmless(const Operation& operation, Misuse misuse, const SyncModel& model) {
    switch (misuse) {
        case Misuse::DestroyWhileInUse:
            return (operation.kind == OpKind::MutexDestroy && !model.object(operation.object).robust) ||
                   operation.kind == OpKind::RwDestroy || operation.kind == OpKind::SpinDestroy;
        case Misuse::WaitWithoutMutex: {
            const ObjectState& mutex = model.object(operation.mutex);
            return mutex.robust || mutex.mutex_kind != MutexKind::Normal;
        }
        case Misuse::ConsistentWithoutDeath: {
            // glibc does not look whether the caller holds the inconsistent mutex.
            const ObjectState& mutex = model.object(operation.object);
            return !mutex.inconsistent && !mutex.owner_died;
        }
        case Misuse::JoinDetached:
            return model.live(operation.thread);
        default:
            return false;
    }
}

}  // namespace

GlibcScript::GlibcScript(RandomSource& random, std::uint32_t workers, Results& results)
    : random_(random), results_(results) {
    native_.thread_handle = [this, controller = pthread_self()](ThreadId thread) {
        return thread == main_thread ? controller : worker(thread).handle();
    };
    workers_.emplace_back();
    for (std::uint32_t number = 0; number < workers; ++number) {
        add_worker();
    }
    classes_ = {ObjectClass::Mutex, ObjectClass::Mutex, ObjectClass::Condition};
    while (classes_.size() < object_count) {
        classes_.push_back(random_.one_of(native_classes));
    }
    for (std::uint32_t number = 0; number < object_count; ++number) {
        start_object(ObjectId{number});
    }
}

void GlibcScript::start_object(ObjectId object) {
    ObjectInit how;
    how.object_class = classes_[object.index()];
    how.mutex_kind = static_cast<MutexKind>(random_.below(3));
    how.robust = how.object_class == ObjectClass::Mutex && random_.percent(50);
    how.rw_policy = static_cast<RwPolicy>(random_.below(2));
    how.value = 1 + random_.below(3);
    if (how.object_class == ObjectClass::Semaphore && random_.percent(20)) {
        how.value = sem_value_max - random_.below(2);
    }
    REQUIRE(model_.init(object, how) == std::nullopt);
    REQUIRE(native_.init(object, how, random_.percent(30)) == 0);
    log_.push_back("init " + std::to_string(object.index()) + " of class " +
                   std::to_string(static_cast<int>(how.object_class)) + ", kind " +
                   std::to_string(static_cast<int>(how.mutex_kind)) + (how.robust ? " robust" : "") +
                   ", value " + std::to_string(how.value));
}

void GlibcScript::add_worker() {
    model_.add_thread(ThreadId{static_cast<std::uint32_t>(workers_.size())});
    workers_.push_back(std::make_unique<LockStepThread>());
}

std::vector<ThreadId> GlibcScript::live_threads() const {
    std::vector<ThreadId> live;
    for (std::uint32_t number = 0; number < workers_.size(); ++number) {
        if (model_.live(ThreadId{number})) {
            live.emplace_back(number);
        }
    }
    return live;
}

Operation GlibcScript::release_of(ObjectId held) {
    const ObjectState& state = model_.object(held);
    if (state.object_class == ObjectClass::RwLock) {
        return bench::on(OpKind::RwUnlock, held);
    }
    if (state.object_class == ObjectClass::SpinLock) {
        return bench::on(OpKind::SpinUnlock, held);
    }
    return bench::on(
        state.inconsistent && random_.percent(40) ? OpKind::MutexConsistent : OpKind::MutexUnlock, held);
}

Operation GlibcScript::random_thread_operation() {
    static const std::vector<OpKind> kinds{OpKind::ThreadJoin,   OpKind::ThreadJoin, OpKind::ThreadTryJoin,
                                           OpKind::ThreadDetach, OpKind::ThreadExit, OpKind::ThreadCreate};
    Operation operation = bench::on_thread(random_.one_of(kinds), ThreadId{random_.below(workers_.size())});
    operation.timed = operation.kind == OpKind::ThreadJoin && random_.percent(50);
    if (operation.thread == main_thread && operation.kind == OpKind::ThreadDetach) {
        operation.kind = OpKind::ThreadTryJoin;  // the thread that runs the tests stays as it is
    }
    return operation;
}

Operation GlibcScript::random_operation(ThreadId thread) {
    if (!model_.held(thread).empty() && random_.percent(30)) {
        return release_of(random_.one_of(model_.held(thread)));
    }
    if (random_.percent(12)) {
        return random_thread_operation();
    }
    const ObjectId object{random_.below(object_count)};
    std::vector<OpKind> kinds = bench::operations_on(classes_[object.index()]);
    std::erase(kinds, OpKind::SemClose);  // for semaphores with a name
    std::erase_if(kinds,
                  [&](OpKind kind) { return !is_call(kind) || (is_destroy(kind) && random_.percent(70)); });
    Operation operation = bench::on(random_.one_of(kinds), object);
    operation.timed = takes_time_limit(operation.kind) && random_.percent(50);
    if (operation.kind == OpKind::CondWait) {
        operation.mutex = ObjectId{random_.below(2)};
        for (const ObjectId held : model_.held(thread)) {
            if (classes_[held.index()] == ObjectClass::Mutex && random_.percent(80)) {
                operation.mutex = held;
            }
        }
    }
    return operation;
}

bool GlibcScript::is_usable(const Operation& operation) const {
    const auto usable = [&](ObjectId object) { return !object.valid() || !model_.object(object).destroyed; };
    return usable(operation.object) && usable(operation.mutex);
}

void GlibcScript::compare(ThreadId thread, const Operation& operation, int expected, int actual) {
    log_.push_back("T" + std::to_string(thread.index()) + " " + std::string(name(operation.kind)) +
                   (operation.timed ? " timed" : "") + " object " +
                   std::to_string(static_cast<std::int32_t>(operation.object.index())) + " thread " +
                   std::to_string(static_cast<std::int32_t>(operation.thread.index())) + ": " +
                   std::to_string(actual));
    results_.insert({operation.kind, actual});
    compared_ += 1;
    if (expected != actual) {
        std::string script;
        for (const std::string& line : log_) {
            script += line + "\n";
        }
        FAIL(script, "the model says ", expected);
    }
}

void GlibcScript::make(ThreadId thread, const Operation& operation, const WholeCall& predicted, bool other) {
    const auto call = [&] { return native_.call(operation, other); };
    const int result = thread == main_thread ? call() : worker(thread).call(call);
    compare(thread, operation, predicted.result, result);
    if (predicted.misuse) {
        return;  // returned an error, changed nothing
    }
    const bool claims = operation.kind == OpKind::ThreadJoin || operation.kind == OpKind::ThreadTryJoin ||
                        operation.kind == OpKind::ThreadDetach;
    if (claims && result == 0) {
        worker(operation.thread).disown();
    }
    const bool not_recoverable = operation.object.valid() && model_.object(operation.object).not_recoverable;
    model_ = predicted.after;
    if (operation.kind == OpKind::MutexTryLock && not_recoverable) {
        // glibc 2.36 returns ENOTRECOVERABLE but leaves the mutex locked by the caller without a place in its
        // robust list (trylock compares the old value of the lock with the new one): the next unlock crashes.
        start_object(operation.object);
    }
}

void GlibcScript::end_worker(ThreadId thread) {
    if (thread == main_thread) {
        return;
    }
    const auto predicted = whole_call(model_, thread, bench::plain(OpKind::ThreadExit));
    if (!predicted->misuse) {
        model_ = predicted->after;
        worker(thread).end();
        log_.push_back("T" + std::to_string(thread.index()) + " ends");
    }
}

void GlibcScript::attempt(ThreadId thread, const Operation& operation) {
    if (operation.kind == OpKind::ThreadExit) {
        end_worker(thread);
        return;
    }
    if (operation.kind == OpKind::ThreadCreate) {
        if (workers_.size() > 1 && workers_.size() <= most_workers) {
            add_worker();
        }
        return;
    }
    if (!is_usable(operation)) {
        return;
    }
    const bool other = random_.percent(30);
    const auto predicted = whole_call(model_, thread, operation, other);
    if (!predicted) {
        if (operation.kind == OpKind::CondWait) {
            meet_at_condition(thread, operation);
        } else if (operation.kind == OpKind::BarrierWait) {
            meet_at_barrier(operation.object);
        }
    } else if (!predicted->misuse || is_harmless(operation, *predicted->misuse, model_)) {
        make(thread, operation, *predicted, other);
    }
}

void GlibcScript::meet_at_condition(ThreadId waiter, const Operation& wait) {
    std::vector<ThreadId> others = live_threads();
    std::erase(others, waiter);
    if (waiter == main_thread || others.empty()) {
        return;
    }
    const ThreadId helper = random_.one_of(others);
    const Operation lock = bench::on(OpKind::MutexLock, wait.mutex);
    SyncModel waiting = model_;
    const Outcome entered = waiting.apply(waiter, wait, Variant::normal());
    if (!waiting.enabled(helper, lock)) {
        return;  // the waiter keeps a recursive mutex
    }
    model_ = waiting;
    // The waiter gives the mutex up when it can be woken: who has locked the mutex can wake it.
    worker(waiter).begin([&] { return native_.call(wait); });
    attempt(helper, lock);
    attempt(helper, bench::on(random_.percent(50) ? OpKind::CondSignal : OpKind::CondBroadcast, wait.object));
    if (random_.percent(30)) {
        end_worker(helper);
    }
    if (model_.object(wait.mutex).owner == helper) {
        attempt(helper, bench::on(OpKind::MutexUnlock, wait.mutex));
    }
    REQUIRE(model_.enabled(waiter, *entered.parked_at));
    const Outcome resumed = model_.apply(waiter, *entered.parked_at, Variant::normal());
    compare(waiter, wait, resumed.result, worker(waiter).finish());
}

void GlibcScript::meet_at_barrier(ObjectId barrier) {
    // The last one may be T0, which cannot begin a call and go on.
    std::vector<ThreadId> all = live_threads();
    std::reverse(all.begin(), all.end());
    const std::uint32_t needed = model_.object(barrier).needed;
    if (all.size() < needed) {
        return;
    }
    all.erase(all.begin(), all.end() - needed);
    const Operation wait = bench::on(OpKind::BarrierWait, barrier);
    std::vector<int> expected;
    std::vector<int> actual;
    for (const ThreadId thread : all) {
        expected.push_back(model_.apply(thread, wait, Variant::normal()).result);
        if (thread != main_thread) {
            worker(thread).begin([&] { return native_.call(wait); });
        }
    }
    for (const ThreadId thread : all) {
        if (thread == main_thread) {
            actual.insert(actual.begin(), native_.call(wait));
        }
    }
    for (const ThreadId thread : all) {
        if (thread != all.back()) {
            REQUIRE(
                model_.apply(thread, bench::on(OpKind::BarrierResume, barrier), Variant::normal()).result ==
                0);
        }
        if (thread != main_thread) {
            actual.push_back(worker(thread).finish());
        }
    }
    // Which one is the serial one depends on who came last, which nobody can see here.
    std::sort(expected.begin(), expected.end());
    std::sort(actual.begin(), actual.end());
    for (std::size_t number = 0; number < needed; ++number) {
        compare(all[number], wait, expected[number], actual[number]);
    }
}

void GlibcScript::give_everything_back() {
    for (const ThreadId thread : live_threads()) {
        while (!model_.held(thread).empty()) {
            attempt(thread, release_of(model_.held(thread).back()));
        }
    }
}

void GlibcScript::run(int attempts) {
    for (int number = 0; number < attempts; ++number) {
        const ThreadId thread = random_.one_of(live_threads());
        attempt(thread, random_operation(thread));
        const ObjectId object{random_.below(object_count)};
        const ObjectState& state = model_.object(object);
        if (state.destroyed || (random_.percent(3) && is_quiet(state))) {
            start_object(object);
        }
    }
    give_everything_back();
}

}  // namespace coopcheck
