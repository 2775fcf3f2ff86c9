#include "tests/explorer/failing_programs.hpp"

#include <functional>

namespace coopcheck::testing {

namespace {

void nest(Api& api, const char* outer, const char* inner) {
    const Mutex out = api.mutex(outer);
    const Mutex in = api.mutex(inner);
    api.lock(out);
    api.lock(in);
    api.unlock(in);
    api.unlock(out);
}

/// Two threads that nest two locks; `bystander` makes a third one that has nothing to do with it.
FiberProgram nested_locks(bool in_order, bool bystander) {
    return {[=](Api& api) {
        api.create([&api] { nest(api, "a", "b"); });
        api.create([&api, in_order] { nest(api, in_order ? "a" : "b", in_order ? "b" : "a"); });
        if (bystander) {
            api.create([&api] {
                for (int i = 0; i < 6; ++i) {
                    api.sem_post(api.semaphore("own"));
                }
            });
        }
    }};
}

/// A counter that is read and written in two critical sections, or in one.
FiberProgram counter(bool one_section) {
    return {[=](Api& api) {
        const auto increment = [&api, one_section] {
            const Mutex m = api.mutex("m");
            const Var count = api.var("count");
            api.lock(m);
            const std::int64_t seen = api.read(count);
            if (!one_section) {
                api.unlock(m);
                api.lock(m);
            }
            api.write(count, seen + 1);
            api.unlock(m);
        };
        const ThreadId first = api.create(increment);
        const ThreadId second = api.create(increment);
        api.join(first);
        api.join(second);
        api.check(api.read(api.var("count")) == 2, "both increments count");
    }};
}

/// A wait that does not look whether what it waits for has happened already, or does.
FiberProgram signal(bool looks_first) {
    return {[=](Api& api) {
        api.create([&api, looks_first] {
            const Mutex m = api.mutex("m");
            api.lock(m);
            if (!looks_first || api.read(api.var("done")) == 0) {
                api.wait(api.condition("c"), m);
            }
            api.unlock(m);
        });
        const Mutex m = api.mutex("m");
        api.lock(m);
        api.write(api.var("done"), 1);
        api.signal(api.condition("c"));
        api.unlock(m);
    }};
}

/// main destroys a mutex that its thread may still use, or waits for the thread first.
FiberProgram destroyed_mutex(bool waits) {
    return {[=](Api& api) {
        const Mutex m = api.mutex("m");
        const ThreadId user = api.create([&api, m] {
            api.lock(m);
            api.unlock(m);
        });
        if (waits) {
            api.join(user);
        }
        api.destroy(m);
        if (!waits) {
            api.join(user);
        }
    }};
}

/// Fails for one value of eight.
FiberProgram choice(bool all_values_right) {
    return {[=](Api& api) {
        const int value = api.choose(8);
        api.check(value != 5 || all_values_right, "the value is not 5");
    }};
}

/// A wait with a time limit that times out when the post comes too late: after the waiter has ended.
FiberProgram time_limit(bool posts) {
    return {[=](Api& api) {
        const Semaphore s = api.semaphore("s");
        api.create([&api, s] { api.check(api.sem_timedwait(s) == 0, "the wait ends in time"); });
        if (posts) {
            api.sem_post(s);
        }
    }};
}

FiberProgram never_negative(bool atomic_check) {
    // Two threads that take the last unit after having looked whether there is one; or just try to take it.
    return {[=](Api& api) {
        const Semaphore units = api.semaphore("units", 1);
        for (int i = 0; i < 2; ++i) {
            api.create([&api, units, atomic_check] {
                if (atomic_check) {
                    api.sem_trywait(units);
                } else if (api.sem_getvalue(units) > 0) {
                    api.sem_wait(units);
                }
            });
        }
    }};
}

}  // namespace

const std::vector<FailingProgram>& failing_programs() {
    static const std::vector<FailingProgram> all = {
        {"nested locks", FindingKind::Deadlock, nested_locks(false, false), nested_locks(true, false)},
        {"nested locks while another thread runs", FindingKind::Deadlock, nested_locks(false, true),
         nested_locks(true, true)},
        {"a counter", FindingKind::Assertion, counter(false), counter(true)},
        {"a lost signal", FindingKind::Deadlock, signal(false), signal(true)},
        {"a destroyed mutex", FindingKind::Misuse, destroyed_mutex(false), destroyed_mutex(true)},
        {"a chosen value", FindingKind::Assertion, choice(false), choice(true)},
        {"a time limit", FindingKind::Assertion, time_limit(false), time_limit(true)},
        {"the last unit", FindingKind::Deadlock, never_negative(false), never_negative(true)},
        {"a bug of depth 3", FindingKind::Assertion, bug_of_depth(3), bug_of_depth(0)},
    };
    return all;
}

FiberProgram bug_of_depth(unsigned depth) {
    return {[=](Api& api) {
        const Semaphore s = api.semaphore("s");
        api.create([&api, s] {
            api.sem_post(s);
            api.sem_post(s);
        });
        api.create([&api, s, depth] {
            const int first = api.sem_getvalue(s);
            const int second = api.sem_getvalue(s);
            switch (depth) {
                case 1:  // second look before the first post
                    api.check(second != 0, "something is there");
                    break;
                case 2:  // the first post, the first look, the second post in this order
                    api.check(first != 1, "one is never alone");
                    break;
                case 3:  // and the second look after that
                    api.check(first != 1 || second != 2, "it does not grow");
                    break;
                default:
                    break;
            }
        });
    }};
}

}  // namespace coopcheck::testing
