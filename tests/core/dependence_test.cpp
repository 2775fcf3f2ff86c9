#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <tuple>

#include "tests/core/model_bench.hpp"
#include "tests/core/random_walk.hpp"

// Two operations of different threads are dependent if their footprints, locks included, conflict in a state
// in which both are pending. What is independent has to commute.

using namespace coopcheck;
using namespace coopcheck::bench;

namespace {

constexpr int walks = 10'000;
constexpr int steps_per_walk = 30;

/// A pending operation with one of its variants; Normal if it is not enabled.
struct Move {
    ThreadId thread;
    Operation operation;
    Variant variant;
    bool enabled = false;
    Footprint footprint;
};

Footprint footprint_of(const SyncModel& model, ThreadId thread, const Operation& operation, Variant variant,
                       bool locks = true) {
    Footprint footprint;
    model.footprint(thread, operation, variant, locks, footprint);
    return footprint;
}

bool dependent(const SyncModel& model, ThreadId one, const Operation& one_does, ThreadId other,
               const Operation& other_does) {
    return footprint_of(model, one, one_does, Variant::normal())
        .conflicts_with(footprint_of(model, other, other_does, Variant::normal()));
}

std::vector<Move> moves_of(const SyncModel& model, const RandomWalk::Pending& pending) {
    std::vector<Variant> variants = model.options(pending.thread, pending.operation);
    if (model.can_time_out(pending.thread, pending.operation) && !model.model_options().explore_timeouts) {
        variants.push_back(Variant::timeout());
    }
    const bool enabled = !variants.empty();
    if (!enabled) {
        variants.push_back(Variant::normal());
    }
    std::vector<Move> moves;
    moves.reserve(variants.size());
    for (const Variant variant : variants) {
        moves.push_back({pending.thread, pending.operation, variant, enabled,
                         footprint_of(model, pending.thread, pending.operation, variant)});
    }
    return moves;
}

std::string text(const Move& move) {
    return "T" + std::to_string(move.thread.index()) + " " + std::string(name(move.operation.kind)) + " on " +
           std::to_string(move.operation.object.index()) + ", variant " +
           std::to_string(static_cast<int>(move.variant.kind)) + (move.enabled ? "" : " (not enabled)");
}

/// What `move` can do and does is the same after `first` as before.
std::string difference_after(const SyncModel& before, const Move& move, const SyncModel& after) {
    if (after.options(move.thread, move.operation) != before.options(move.thread, move.operation)) {
        return "other options";
    }
    if (after.can_time_out(move.thread, move.operation) != before.can_time_out(move.thread, move.operation)) {
        return "another chance to time out";
    }
    if (footprint_of(after, move.thread, move.operation, move.variant) != move.footprint) {
        return "another footprint";
    }
    if (move.enabled) {
        SyncModel now = after;
        SyncModel then = before;
        if (now.apply(move.thread, move.operation, move.variant) !=
            then.apply(move.thread, move.operation, move.variant)) {
            return "another outcome";
        }
    }
    return "";
}

/// What is wrong with calling the two moves independent; empty if nothing is.
std::string why_not_independent(const SyncModel& model, const Move& one, const Move& other) {
    SyncModel one_first = model;
    SyncModel other_first = model;
    // After a misuse the run is over: there is no second operation to compare.
    const bool one_ends =
        one.enabled && one_first.apply(one.thread, one.operation, one.variant).misuse.has_value();
    const bool other_ends =
        other.enabled && other_first.apply(other.thread, other.operation, other.variant).misuse.has_value();
    if (one.enabled && !one_ends) {
        if (std::string difference = difference_after(model, other, one_first); !difference.empty()) {
            return "the second has " + difference;
        }
    }
    if (other.enabled && !other_ends) {
        if (std::string difference = difference_after(model, one, other_first); !difference.empty()) {
            return "the first has " + difference;
        }
    }
    if (one.enabled && other.enabled && !one_ends && !other_ends) {
        one_first.apply(other.thread, other.operation, other.variant);
        other_first.apply(one.thread, one.operation, one.variant);
        if (!(one_first == other_first && one_first.hash() == other_first.hash())) {
            return "the orders lead to different states";
        }
    }
    return "";
}

/// Kinds of two operations on the same object that were found independent, the lesser first.
using KindPair = std::pair<OpKind, OpKind>;

bool touch_same_object(const Operation& one, const Operation& other) {
    return one.object.valid() && one.object == other.object;
}

}  // namespace

TEST_CASE("every operation has a row with a name of its own and a footprint that fits it") {
    Bench bench;
    std::set<std::string_view> names;
    for (std::size_t number = 0; number < op_kind_count; ++number) {
        const auto kind = static_cast<OpKind>(number);
        const OpTraits& row = traits(kind);
        CAPTURE(row.name);
        CHECK(row.kind == kind);
        CHECK(names.insert(row.name).second);
        Operation operation = on(kind, first);
        operation.mutex = second;
        operation.thread = t2;
        operation.location = Location::memory(64);
        const Footprint footprint = footprint_of(bench.model, t1, operation, Variant::normal());
        const bool touches_nothing = kind == OpKind::Yield || kind == OpKind::Choose;
        CHECK(footprint.empty() == touches_nothing);
        const bool touches_object =
            std::any_of(footprint.entries().begin(), footprint.entries().end(),
                        [](const auto& entry) { return entry.location == Location::object(first); });
        CHECK(touches_object == (row.object_class != ObjectClass::None || row.object != Touch::None));
        CHECK((row.mutex != Touch::None) == (kind == OpKind::CondWait || kind == OpKind::CondResume));
        const bool may_be_cancelled = row.cancellation_point;
        CHECK((!may_be_cancelled || row.own_thread != Touch::None));
    }
    CHECK(names.size() == op_kind_count);
}

TEST_CASE("footprints from data leave the locks out and nothing else") {
    Bench bench;
    for (std::size_t number = 0; number < op_kind_count; ++number) {
        const auto kind = static_cast<OpKind>(number);
        CAPTURE(name(kind));
        Operation operation = on(kind, first);
        operation.mutex = second;
        operation.thread = t2;
        operation.location = Location::memory(64);
        const Footprint all = footprint_of(bench.model, t1, operation, Variant::normal(), true);
        Footprint expected;
        for (const Footprint::Entry& entry : all.entries()) {
            const bool is_lock_object =
                is_lock(traits(kind).object_class) && entry.location == Location::object(first);
            if (!is_lock_object && entry.location != Location::object(second)) {
                expected.add(entry.location, entry.write);
            }
        }
        CHECK(footprint_of(bench.model, t1, operation, Variant::normal(), false) == expected);
    }
}

TEST_CASE("the end of the process depends on everything, even on what touches nothing") {
    const Bench bench;
    for (std::size_t number = 0; number < op_kind_count; ++number) {
        const Operation any = on(static_cast<OpKind>(number), first);
        for (const OpKind end : {OpKind::ProcessExit, OpKind::Failure}) {
            CHECK(dependent(bench.model, t0, plain(end), t1, any));
            CHECK(dependent(bench.model, t1, any, t0, plain(end)));
        }
    }
}

TEST_CASE("operations that are independent commute in every state of random programs") {
    RandomSource random(20240117);
    std::array<bool, op_kind_count> executed{};
    std::set<KindPair> independent_on_one_object;
    long checked = 0;
    for (int walk_number = 0; walk_number < walks; ++walk_number) {
        RandomWalk walk(random);
        for (int step = 0; step < steps_per_walk; ++step) {
            const SyncModel& model = walk.model();
            std::vector<std::vector<Move>> moves;
            for (const RandomWalk::Pending& pending : walk.pending()) {
                REQUIRE(model.enabled(pending.thread, pending.operation) ==
                        !model.options(pending.thread, pending.operation).empty());
                moves.push_back(moves_of(model, pending));
            }
            for (std::size_t i = 0; i < moves.size(); ++i) {
                for (std::size_t j = i + 1; j < moves.size(); ++j) {
                    for (const Move& one : moves[i]) {
                        for (const Move& other : moves[j]) {
                            const bool conflict = one.footprint.conflicts_with(other.footprint);
                            REQUIRE(conflict == other.footprint.conflicts_with(one.footprint));
                            if (conflict) {
                                continue;
                            }
                            checked += 1;
                            const std::string wrong = why_not_independent(model, one, other);
                            if (!wrong.empty()) {
                                FAIL("walk ", walk_number, ", step ", step, ": ", text(one), " and ",
                                     text(other), " are called independent but ", wrong);
                            }
                            if (one.enabled && other.enabled &&
                                touch_same_object(one.operation, other.operation)) {
                                independent_on_one_object.insert(
                                    std::minmax(one.operation.kind, other.operation.kind));
                            }
                        }
                    }
                }
            }
            const auto done_now = walk.step();
            if (!done_now) {
                break;
            }
            executed[static_cast<std::size_t>(done_now->kind)] = true;
        }
    }
    CHECK(checked > 100'000);
    for (std::size_t number = 0; number < op_kind_count; ++number) {
        const auto kind = static_cast<OpKind>(number);
        CAPTURE(name(kind));
        CHECK(executed[number] == (kind != OpKind::ProcessExit && kind != OpKind::Failure));
    }
    using enum OpKind;
    // On one object only these do not depend on each other; all else does, in every state met.
    const std::set<KindPair> expected{
        {CondWait, CondResume},       {CondResume, CondResume},       {CondResume, CondSignal},
        {CondResume, CondBroadcast},  {CondResume, CondDestroy},      {RwReadLock, RwReadLock},
        {RwReadLock, RwTryReadLock},  {RwReadLock, RwUnlock},         {RwTryReadLock, RwTryReadLock},
        {RwTryReadLock, RwUnlock},    {RwUnlock, RwUnlock},           {SemGetValue, SemGetValue},
        {BarrierWait, BarrierResume}, {BarrierResume, BarrierResume}, {BarrierResume, BarrierDestroy},
        {OnceEnter, OnceEnter},       {FutexWait, FutexResume},       {FutexResume, FutexResume},
        {FutexResume, FutexWake},
    };
    CHECK(independent_on_one_object == expected);
}
