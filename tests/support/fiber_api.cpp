#include "tests/support/fiber_api.hpp"

#include <cerrno>

#include "core/check.hpp"
#include "tests/support/fiber_execution.hpp"

namespace coopcheck::testing {

Mutex Api::mutex(std::string_view name, MutexKind kind) {
    return {execution_.declare(name, {.object_class = ObjectClass::Mutex, .mutex_kind = kind})};
}

Mutex Api::robust_mutex(std::string_view name, MutexKind kind) {
    return {
        execution_.declare(name, {.object_class = ObjectClass::Mutex, .mutex_kind = kind, .robust = true})};
}

Condition Api::condition(std::string_view name) {
    return {execution_.declare(name, {.object_class = ObjectClass::Condition})};
}

RwLock Api::rwlock(std::string_view name, RwPolicy policy) {
    return {execution_.declare(name, {.object_class = ObjectClass::RwLock, .rw_policy = policy})};
}

Spin Api::spin(std::string_view name) {
    return {execution_.declare(name, {.object_class = ObjectClass::SpinLock})};
}

Semaphore Api::semaphore(std::string_view name, int value) {
    return {execution_.declare(name, {.object_class = ObjectClass::Semaphore, .value = value})};
}

Barrier Api::barrier(std::string_view name, int count) {
    return {execution_.declare(name, {.object_class = ObjectClass::Barrier, .value = count})};
}

Once Api::once(std::string_view name) {
    return {execution_.declare(name, {.object_class = ObjectClass::Once})};
}

Var Api::var(std::string_view name, std::int64_t initial) {
    return execution_.declare_variable(name, initial, false);
}

Var Api::atomic(std::string_view name, std::int64_t initial) {
    return execution_.declare_variable(name, initial, true);
}

int Api::on(OpKind kind, ObjectId object) {
    Operation operation;
    operation.kind = kind;
    operation.object = object;
    return execution_.perform(operation);
}

int Api::timed_on(OpKind kind, ObjectId object) {
    Operation operation;
    operation.kind = kind;
    operation.timed = true;
    operation.object = object;
    return execution_.perform(operation);
}

int Api::on(OpKind kind, ThreadId thread, bool timed) {
    if (!thread.valid()) {
        return ESRCH;
    }
    Operation operation;
    operation.kind = kind;
    operation.timed = timed;
    operation.thread = thread;
    return execution_.perform(operation);
}

int Api::with_value(OpKind kind, ObjectId object, std::int64_t value) {
    Operation operation;
    operation.kind = kind;
    operation.object = object;
    operation.value = value;
    return execution_.perform(operation);
}

int Api::wait_on(Condition condition, Mutex mutex, bool timed) {
    Operation operation;
    operation.kind = OpKind::CondWait;
    operation.timed = timed;
    operation.object = condition.id;
    operation.mutex = mutex.id;
    return execution_.perform(operation);
}

int Api::call_once(Once once, const std::function<void()>& routine) {
    const int result = on(OpKind::OnceEnter, once.id);
    if (!execution_.current().outcome.run_once_routine) {
        return result;
    }
    try {
        routine();
    } catch (const FiberExecution::Cancelled&) {
        on(OpKind::OnceAbort, once.id);
        throw;
    }
    return on(OpKind::OnceDone, once.id);
}

ThreadId Api::create(std::function<void()> body) { return execution_.create(std::move(body), false); }

ThreadId Api::create_detached(std::function<void()> body) { return execution_.create(std::move(body), true); }

ThreadId Api::self() const { return execution_.current().id; }

int Api::futex_wait_on(Var var, std::int64_t expected, bool timed) {
    FiberExecution::Thread& thread = execution_.current();
    thread.futex_word = var;
    thread.futex_expected = expected;
    Operation operation;
    operation.kind = OpKind::FutexWait;
    operation.timed = timed;
    operation.object = execution_.futex_of(var);
    operation.location = execution_.variable(var).location;
    return execution_.perform(operation);
}

int Api::futex_wait(Var var, std::int64_t expected) { return futex_wait_on(var, expected, false); }

int Api::futex_timedwait(Var var, std::int64_t expected) { return futex_wait_on(var, expected, true); }

int Api::futex_wake(Var var, int count) {
    return with_value(OpKind::FutexWake, execution_.futex_of(var), count);
}

int Api::choose(int count) { return with_value(OpKind::Choose, ObjectId{}, count); }

void Api::access(Var var, OpKind kind) {
    const FiberExecution::Variable& variable = execution_.variable(var);
    if (variable.visible) {
        Operation operation;
        operation.kind = kind;
        operation.location = variable.location;
        execution_.perform(operation);
    } else {
        execution_.note_access(variable, kind != OpKind::Read, kind == OpKind::ReadWrite);
    }
}

std::int64_t Api::read(Var var) {
    access(var, OpKind::Read);
    return execution_.variable(var).value;
}

void Api::write(Var var, std::int64_t value) {
    access(var, OpKind::Write);
    execution_.variable(var).value = value;
}

std::int64_t Api::fetch_add(Var var, std::int64_t value) {
    access(var, OpKind::ReadWrite);
    return std::exchange(execution_.variable(var).value, execution_.variable(var).value + value);
}

void Api::check(bool condition, std::string_view text) {
    if (!condition) {
        execution_.current().failure = text;
        on(OpKind::Failure, ObjectId{});
    }
}

void Api::exit(int code) {
    with_value(OpKind::ProcessExit, ObjectId{}, code);
    COOPCHECK_CHECK(false, "a thread ran on after the end of its process");
}

void Api::record(std::int64_t value) { execution_.current().records.push_back(value); }

void Api::at(std::uint64_t site) { execution_.current().site = site; }

Api::TrustedRegion::TrustedRegion(Api& api) : depth_(api.execution_.current().trusted_depth) { ++depth_; }

Api::TrustedRegion::~TrustedRegion() { --depth_; }

}  // namespace coopcheck::testing
