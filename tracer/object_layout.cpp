#include "tracer/object_layout.hpp"

#include <cstdint>
#include <cstring>

namespace coopcheck::tracer::object_layout {

namespace {

constexpr std::size_t mutex_kind_at = 16;    // __pthread_mutex_s.__kind
constexpr std::size_t rwlock_flags_at = 48;  // __pthread_rwlock_arch_t.__flags
constexpr std::size_t barrier_count_at = 8;  // pthread_barrier.count
constexpr std::size_t semaphore_value_at = 0;

std::uint32_t word(std::span<const std::byte> bytes, std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

std::optional<ObjectInit> decode_mutex(std::uint32_t kind) {
    constexpr std::uint32_t robust = 0x10;
    // Type, robustness, priority protocol, process-shared, elision: nothing else is ever set. Destroyed is
    // -1.
    constexpr std::uint32_t all_bits = 0x3f3;
    if ((kind & ~all_bits) != 0) return std::nullopt;
    ObjectInit init{.object_class = ObjectClass::Mutex};
    init.robust = (kind & robust) != 0;
    switch (kind & 3U) {
        case 1:
            init.mutex_kind = MutexKind::Recursive;
            break;
        case 2:
            init.mutex_kind = MutexKind::ErrorChecking;
            break;
        default:  // timed (the default) and adaptive differ only in how they wait
            init.mutex_kind = MutexKind::Normal;
    }
    return init;
}

}  // namespace

std::size_t bytes_needed(ObjectClass object_class) {
    switch (object_class) {
        case ObjectClass::Mutex:
            return mutex_kind_at + 4;
        case ObjectClass::RwLock:
            return rwlock_flags_at + 4;
        case ObjectClass::Barrier:
            return barrier_count_at + 4;
        default:
            return 4;
    }
}

std::optional<std::uint64_t> destroyed_mark_at(ObjectClass object_class) {
    switch (object_class) {
        case ObjectClass::Mutex:
            return mutex_kind_at;  // where glibc puts it, too
        case ObjectClass::Condition:
        case ObjectClass::RwLock:
            return 0;
        default:
            return std::nullopt;
    }
}

bool is_new_life(const ObjectState& before, std::span<const std::byte> bytes) {
    if (before.destroyed) {
        const auto at = destroyed_mark_at(before.object_class);
        return at && word(bytes, *at) != destroyed_mark;
    }
    if (before.object_class == ObjectClass::Mutex && !before.owner.valid()) {
        const auto init = decode(ObjectClass::Mutex, bytes);
        return init && (init->mutex_kind != before.mutex_kind || init->robust != before.robust);
    }
    return before.object_class == ObjectClass::Once && before.done && word(bytes, 0) == 0;
}

std::optional<ObjectInit> decode(ObjectClass object_class, std::span<const std::byte> bytes) {
    constexpr std::uint32_t prefer_writer_nonrecursive = 2;
    ObjectInit init{.object_class = object_class};
    switch (object_class) {
        case ObjectClass::Mutex:
            return decode_mutex(word(bytes, mutex_kind_at));
        case ObjectClass::RwLock:
            if (word(bytes, rwlock_flags_at) == prefer_writer_nonrecursive)
                init.rw_policy = RwPolicy::PreferWriter;
            return init;
        case ObjectClass::Semaphore:
            init.value = word(bytes, semaphore_value_at);
            return init;
        case ObjectClass::Barrier:
            init.value = word(bytes, barrier_count_at);
            if (init.value == 0) return std::nullopt;
            return init;
        default:
            return init;
    }
}

}  // namespace coopcheck::tracer::object_layout
