#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/dependence.hpp"
#include "tests/core/model_bench.hpp"
#include "tests/core/random_walk.hpp"

// Labels of events: what they call independent can be exchanged where it was made, one after the other, in
// every state of random programs. That is more than what is asked of footprints, which compare operations
// that are both still to be made.

using namespace coopcheck;
using namespace coopcheck::bench;

namespace {

struct Move {
    ThreadId thread;
    Operation operation;
    Variant variant;
    Label label;
};

/// With the end of the world, if it is a misuse.
Label full_label(const SyncModel& model, ThreadId thread, const Operation& operation, Variant variant) {
    Label label = label_of(model, thread, operation, variant);
    if (SyncModel(model).apply(thread, operation, variant).misuse) {
        label.add_world();
    }
    return label;
}

std::vector<Move> moves_of(const SyncModel& model, const RandomWalk::Pending& pending) {
    std::vector<Move> moves;
    for (const Variant variant : model.options(pending.thread, pending.operation)) {
        moves.push_back({pending.thread, pending.operation, variant,
                         full_label(model, pending.thread, pending.operation, variant)});
    }
    return moves;
}

std::string text(const Move& move) {
    return "T" + std::to_string(move.thread.index()) + " " + std::string(name(move.operation.kind)) + " on " +
           std::to_string(move.operation.object.index()) + ", variant " +
           std::to_string(static_cast<int>(move.variant.kind));
}

/// `second` was made right after `first` in `before`, and is independent of it: what speaks against
/// exchanging them; empty if nothing does.
std::string why_not_exchanged(const SyncModel& before, const Move& first, const Move& second) {
    SyncModel in_order = before;
    const Outcome first_outcome = in_order.apply(first.thread, first.operation, first.variant);
    const Outcome second_outcome = in_order.apply(second.thread, second.operation, second.variant);

    const std::vector<Variant> options = before.options(second.thread, second.operation);
    if (std::find(options.begin(), options.end(), second.variant) == options.end()) {
        return "the second cannot be made first";
    }
    if (full_label(before, second.thread, second.operation, second.variant) != second.label) {
        return "the second has another label when made first";
    }
    SyncModel exchanged = before;
    if (exchanged.apply(second.thread, second.operation, second.variant) != second_outcome) {
        return "the second has another outcome when made first";
    }
    const std::vector<Variant> options_after = exchanged.options(first.thread, first.operation);
    if (options_after != before.options(first.thread, first.operation)) {
        return "the first has other options when made second";
    }
    if (full_label(exchanged, first.thread, first.operation, first.variant) != first.label) {
        return "the first has another label when made second";
    }
    if (exchanged.apply(first.thread, first.operation, first.variant) != first_outcome) {
        return "the first has another outcome when made second";
    }
    return exchanged == in_order ? "" : "the orders lead to different states";
}

using KindPair = std::pair<OpKind, OpKind>;

}  // namespace

TEST_CASE("independent events that were made one after the other can be exchanged") {
    RandomSource random(20240301);
    std::set<KindPair> independent_on_one_object;
    long checked = 0;
    for (int walk_number = 0; walk_number < 10'000; ++walk_number) {
        RandomWalk walk(random);
        for (int step = 0; step < 30; ++step) {
            const SyncModel& model = walk.model();
            for (const RandomWalk::Pending& one : walk.pending()) {
                for (const Move& first : moves_of(model, one)) {
                    if (first.label.has_world()) {
                        continue;
                    }
                    SyncModel after = model;
                    after.apply(first.thread, first.operation, first.variant);
                    for (const RandomWalk::Pending& other : walk.pending()) {
                        if (other.thread == one.thread) {
                            continue;
                        }
                        for (const Move& second : moves_of(after, other)) {
                            REQUIRE(first.label.depends_on(second.label) ==
                                    second.label.depends_on(first.label));
                            if (first.label.depends_on(second.label)) {
                                continue;
                            }
                            checked += 1;
                            const std::string wrong = why_not_exchanged(model, first, second);
                            if (!wrong.empty()) {
                                FAIL("walk ", walk_number, ", step ", step, ": ", text(first), ", then ",
                                     text(second), " are called independent but ", wrong);
                            }
                            if (first.operation.object.valid() &&
                                first.operation.object == second.operation.object) {
                                independent_on_one_object.insert(
                                    std::minmax(first.operation.kind, second.operation.kind));
                            }
                        }
                    }
                }
            }
            if (!walk.step()) {
                break;
            }
        }
    }
    CHECK(checked > 100'000);
    using enum OpKind;
    // The pairs on one object that are ever independent: nothing else is.
    const std::set<KindPair> expected{
        // Attempts that fail or time out, locks that are held already and stay so.
        {MutexLock, MutexLock},
        {MutexLock, MutexTryLock},
        {MutexLock, MutexUnlock},
        {MutexTryLock, MutexTryLock},
        {MutexTryLock, MutexUnlock},
        {MutexUnlock, MutexUnlock},
        {SpinTryLock, SpinTryLock},
        {RwWriteLock, RwWriteLock},
        {RwWriteLock, RwTryWriteLock},
        {RwTryWriteLock, RwTryWriteLock},
        {SemWait, SemWait},
        {SemWait, SemTryWait},
        {SemWait, SemGetValue},
        {SemTryWait, SemTryWait},
        {SemTryWait, SemGetValue},
        {SemGetValue, SemGetValue},
        {OnceEnter, OnceEnter},
        // Signals that nobody waits for.
        {CondSignal, CondSignal},
        {CondSignal, CondBroadcast},
        {CondBroadcast, CondBroadcast},
        // Changes that commute.
        {RwReadLock, RwReadLock},
        {RwReadLock, RwTryReadLock},
        {RwReadLock, RwUnlock},
        {RwTryReadLock, RwTryReadLock},
        {RwTryReadLock, RwUnlock},
        {RwUnlock, RwUnlock},
        {SemPost, SemPost},
        // Once woken, a thread is on its own; those who leave by themselves do so in any order.
        {CondWait, CondResume},
        {CondResume, CondResume},
        {CondResume, CondSignal},
        {CondResume, CondBroadcast},
        {CondResume, CondDestroy},
        {BarrierWait, BarrierResume},
        {BarrierResume, BarrierResume},
        {BarrierResume, BarrierDestroy},
        {FutexWait, FutexResume},
        {FutexResume, FutexResume},
        {FutexResume, FutexWake},
    };
    const auto names = [](const std::set<KindPair>& some, const std::set<KindPair>& others) {
        std::string text;
        for (const KindPair& pair : some) {
            if (!others.contains(pair)) {
                text += std::string(name(pair.first)) + " and " + std::string(name(pair.second)) + "; ";
            }
        }
        return text;
    };
    INFO("not expected: ", names(independent_on_one_object, expected));
    INFO("not seen: ", names(expected, independent_on_one_object));
    CHECK(independent_on_one_object == expected);
}

TEST_CASE("a waiting operation stays as it is until something it depends on is made") {
    RandomSource random(20240302);
    long checked = 0;
    for (int walk_number = 0; walk_number < 10'000; ++walk_number) {
        RandomWalk walk(random);
        for (int step = 0; step < 30; ++step) {
            const SyncModel& model = walk.model();
            for (const RandomWalk::Pending& one : walk.pending()) {
                const std::vector<Variant> options = model.options(one.thread, one.operation);
                if (!options.empty()) {
                    continue;
                }
                const Label label = label_of(model, one.thread, one.operation, Variant::normal());
                for (const RandomWalk::Pending& other : walk.pending()) {
                    for (const Move& move : moves_of(model, other)) {
                        if (other.thread == one.thread || move.label.depends_on(label)) {
                            continue;
                        }
                        checked += 1;
                        SyncModel after = model;
                        after.apply(move.thread, move.operation, move.variant);
                        REQUIRE(after.options(one.thread, one.operation).empty());
                        REQUIRE(label_of(after, one.thread, one.operation, Variant::normal()) == label);
                    }
                }
            }
            if (!walk.step()) {
                break;
            }
        }
    }
    CHECK(checked > 10'000);
}

TEST_CASE("a label holds any number of locations, sorted, each with what all its touches come to") {
    Label label;
    for (const std::uint64_t address : {50, 20, 40, 10, 30, 60}) {
        label.add(Location::memory(address), Effect::Read);
    }
    label.add(Location::memory(20), Effect::Read);
    label.add(Location::memory(30), Effect::Add);
    REQUIRE(label.entries().size() == 6);
    for (std::size_t index = 0; index < 6; ++index) {
        CHECK(label.entries()[index].location == Location::memory(10 * (index + 1)));
        CHECK(label.entries()[index].effect == (index == 2 ? Effect::Write : Effect::Read));
    }
    CHECK_FALSE(label.has_world());
    Label copy = label;
    CHECK(copy == label);
    copy.add_world();
    CHECK(copy.has_world());
    CHECK_FALSE(copy == label);
    Label other;
    other.add(Location::memory(60), Effect::Read);
    CHECK_FALSE(other.depends_on(label));
    other.add(Location::memory(50), Effect::Add);
    CHECK(other.depends_on(label));
    CHECK(copy.depends_on(Label{}));
}

TEST_CASE("failed attempts, reads, posts and signals that nobody waits for are independent of each other") {
    Bench bench;
    // Told by single examples, so that a refinement that is lost is noticed by its name.
    bench.make(first, ObjectClass::Mutex);
    bench.make(second, ObjectClass::Semaphore);
    bench.make(third, ObjectClass::Condition);
    const auto label = [&](ThreadId thread, OpKind kind, ObjectId object) {
        return label_of(bench.model, thread, on(kind, object), Variant::normal());
    };
    const auto independent = [&](OpKind one, OpKind other, ObjectId object) {
        return !label(t1, one, object).depends_on(label(t2, other, object));
    };
    using enum OpKind;
    CHECK(!independent(MutexTryLock, MutexTryLock, first));
    static_cast<void>(bench.model.apply(t0, on(MutexLock, first), Variant::normal()));
    CHECK(independent(MutexTryLock, MutexTryLock, first));
    CHECK(!independent(MutexTryLock, MutexLock, first));
    CHECK(independent(SemPost, SemPost, second));
    CHECK(!independent(SemPost, SemGetValue, second));
    CHECK(!independent(SemPost, SemWait, second));
    CHECK(independent(SemGetValue, SemGetValue, second));
    CHECK(independent(CondSignal, CondBroadcast, third));
}
