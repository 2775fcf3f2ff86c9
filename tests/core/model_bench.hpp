#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/sync_model.hpp"

namespace coopcheck::bench {

inline constexpr ThreadId t0 = main_thread;
inline constexpr ThreadId t1{1};
inline constexpr ThreadId t2{2};

/// Objects by number; what each is, a test says by make().
inline constexpr ObjectId first{0};
inline constexpr ObjectId second{1};
inline constexpr ObjectId third{2};

inline const std::vector<Variant> only_normal{Variant::normal()};
inline const std::vector<Variant> no_variant{};

inline constexpr Outcome done{};
inline constexpr Outcome done_and_released{.result = 0, .released = true};

constexpr Outcome error(int number) { return {.result = number}; }
constexpr Outcome misused(Misuse misuse, int result) { return {.result = result, .misuse = misuse}; }

constexpr Operation on(OpKind kind, ObjectId object) {
    Operation operation;
    operation.kind = kind;
    operation.object = object;
    return operation;
}

constexpr Operation on_thread(OpKind kind, ThreadId thread) {
    Operation operation;
    operation.kind = kind;
    operation.thread = thread;
    return operation;
}

constexpr Operation plain(OpKind kind) { return on(kind, ObjectId{}); }

constexpr Operation wait_on(ObjectId condition, ObjectId mutex) {
    Operation operation = on(OpKind::CondWait, condition);
    operation.mutex = mutex;
    return operation;
}

constexpr Operation timed(Operation operation) {
    operation.timed = true;
    return operation;
}

constexpr Operation with_value(Operation operation, std::int64_t value) {
    operation.value = value;
    return operation;
}

/// The second half of a wait.
constexpr Operation resumed(Operation operation, OpKind second_half) {
    operation.kind = second_half;
    return operation;
}

/// Every operation on an object of a class.
inline std::vector<OpKind> operations_on(ObjectClass object_class) {
    std::vector<OpKind> kinds;
    for (std::size_t number = 0; number < op_kind_count; ++number) {
        const auto kind = static_cast<OpKind>(number);
        if (traits(kind).object_class == object_class) {
            kinds.push_back(kind);
        }
    }
    return kinds;
}

/// A SyncModel in which T0, T1 and T2 live, with few words to operate it.
struct Bench {
    SyncModel model;

    explicit Bench(ModelOptions options = {}) : model(options) {
        model.add_thread(t1);
        model.add_thread(t2);
    }

    void make(ObjectId object, ObjectClass object_class, std::int64_t value = 0) {
        REQUIRE(model.init(object, {.object_class = object_class, .value = value}) == std::nullopt);
    }
    void make_mutex(ObjectId object, MutexKind kind, bool robust = false) {
        REQUIRE(
            model.init(object, {.object_class = ObjectClass::Mutex, .mutex_kind = kind, .robust = robust}) ==
            std::nullopt);
    }
    void make_rwlock(ObjectId object, RwPolicy policy) {
        REQUIRE(model.init(object, {.object_class = ObjectClass::RwLock, .rw_policy = policy}) ==
                std::nullopt);
    }

    [[nodiscard]] bool enabled(ThreadId thread, const Operation& operation) const {
        const bool is_enabled = model.enabled(thread, operation);
        CHECK(is_enabled == !model.options(thread, operation).empty());
        return is_enabled;
    }
    [[nodiscard]] std::vector<Variant> options(ThreadId thread, const Operation& operation) const {
        return model.options(thread, operation);
    }

    /// Carries the operation out with a variant that is on offer.
    Outcome run(ThreadId thread, const Operation& operation, Variant variant = Variant::normal()) {
        const std::vector<Variant> offered = options(thread, operation);
        const bool is_offered = std::find(offered.begin(), offered.end(), variant) != offered.end();
        REQUIRE((is_offered || (variant == Variant::timeout() && model.can_time_out(thread, operation))));
        return model.apply(thread, operation, variant);
    }

    Outcome run(ThreadId thread, OpKind kind, ObjectId object) { return run(thread, on(kind, object)); }
};

}  // namespace coopcheck::bench

template <>
struct doctest::StringMaker<coopcheck::Outcome> {
    static String convert(const coopcheck::Outcome& outcome) {
        std::string text = "result " + std::to_string(outcome.result);
        if (outcome.misuse) {
            text += ", " + std::string(describe(*outcome.misuse));
        }
        if (outcome.parked_at) {
            text += ", parked at " + std::string(name(outcome.parked_at->kind));
        }
        text += outcome.run_once_routine ? ", runs the routine" : "";
        text += outcome.cancelled ? ", cancelled" : "";
        text += outcome.released ? ", released" : "";
        return text.c_str();
    }
};
