#include "tracer/lock_words.hpp"

#include <array>

namespace coopcheck::tracer::lock_words {

namespace {

// __pthread_mutex_s
constexpr std::uint64_t lock_at = 0;
constexpr std::uint64_t count_at = 4;
constexpr std::uint64_t owner_at = 8;
constexpr std::uint64_t users_at = 12;
constexpr std::uint64_t kind_at = 16;
constexpr std::uint64_t list_at = 24;

void put(const TargetMemory& memory, RemoteAddress at, std::uint32_t value) {
    // Memory that the program has made read-only or given back does not take it; nothing depends on it there.
    static_cast<void>(memory.write_value(at, value));
}

void write_rwlock(const TargetMemory& memory, RemoteAddress object, const ObjectState& state,
                  const KernelIdOf& kernel_id_of) {
    // __pthread_rwlock_arch_t.__readers: bit 0 the phase of writers, bit 1 locked by a writer, readers above.
    constexpr std::uint32_t locked_by_writer = 3;
    constexpr unsigned readers_shift = 3;
    constexpr std::uint64_t write_phase_futex_at = 8;
    constexpr std::uint64_t writer_at = 24;
    if (state.owner.valid()) {
        put(memory, object, locked_by_writer);
        put(memory, object + write_phase_futex_at, 1);
        put(memory, object + writer_at, static_cast<std::uint32_t>(kernel_id_of(state.owner)));
        return;
    }
    std::uint32_t readers = 0;
    for (const auto& [thread, times] : state.readers) readers += times;
    if (readers > 0) put(memory, object, readers << readers_shift);
}

/// The model has the value and the memory has the first one, as long as it is a semaphore: struct new_sem,
/// {value, number of waiters, private, pad}. The memory of one that was never destroyed may be something else
/// by now.
void write_semaphore(const TargetMemory& memory, RemoteAddress object, const ObjectState& state) {
    constexpr std::uint32_t shared_between_processes = 128;
    const auto words = memory.read_value<std::array<std::uint32_t, 3>>(object);
    if (!words) return;
    const auto [value, waiters, is_private] = words.value();
    const bool looks_like_one =
        value <= INT32_MAX && waiters == 0 && (is_private == 0 || is_private == shared_between_processes);
    if (looks_like_one) put(memory, object, state.count);
}

void write_once(const TargetMemory& memory, RemoteAddress object) {
    // pthread_once writes its word itself. A static local's guard (libstdc++) was never told that somebody is
    // at it.
    constexpr std::uint32_t guard_pending = 0x100;
    const auto word = memory.read_value<std::uint32_t>(object);
    if (word && word.value() == 0) put(memory, object, guard_pending);
}

}  // namespace

void write_mutex(const TargetMemory& memory, RemoteAddress mutex, const MutexHolder& holder) {
    constexpr std::uint32_t robust_or_priority = 0x30;
    constexpr std::uint32_t robust = 0x10;
    const auto kind = memory.read_value<std::uint32_t>(mutex + kind_at);
    if (!kind) return;
    const bool lock_is_owner = (kind.value() & robust_or_priority) != 0;
    const auto owner = static_cast<std::uint32_t>(holder.owner);
    put(memory, mutex + lock_at, lock_is_owner ? owner : (owner != 0 ? 1 : 0));
    put(memory, mutex + count_at, holder.count);
    put(memory, mutex + owner_at, owner);
    put(memory, mutex + users_at, holder.users);
    if ((kind.value() & robust) != 0) {
        // In no thread's list of robust mutexes, but such that unlocking can take it out of one: a ring of
        // its own. So its owner's death is not noticed.
        const RemoteAddress list = mutex + list_at;
        static_cast<void>(memory.write_value(list, std::array<RemoteAddress, 2>{list, list}));
    }
}

void write(const TargetMemory& memory, RemoteAddress object, const ObjectState& state,
           const KernelIdOf& kernel_id_of) {
    if (state.destroyed) return;
    switch (state.object_class) {
        case ObjectClass::RwLock:
            write_rwlock(memory, object, state, kernel_id_of);
            break;
        case ObjectClass::SpinLock:
            if (state.owner.valid()) put(memory, object, 0);  // 1 is free
            break;
        case ObjectClass::Semaphore:
            write_semaphore(memory, object, state);
            break;
        case ObjectClass::Once:
            if (state.owner.valid()) write_once(memory, object);
            break;
        default:
            break;
    }
}

}  // namespace coopcheck::tracer::lock_words
