#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/ids.hpp"
#include "core/location.hpp"

namespace coopcheck {

/// Every visible operation. An operation that can block in its middle is two: CondWait releases
/// the mutex and enters the wait set, CondResume leaves it and takes the mutex again.
enum class OpKind : std::uint8_t {
    ThreadStart,
    ThreadCreate,
    ThreadJoin,
    ThreadTryJoin,
    ThreadExit,
    ThreadDetach,
    ThreadCancel,
    ThreadTestCancel,
    MutexLock,
    MutexTryLock,
    MutexUnlock,
    MutexConsistent,
    MutexDestroy,
    CondWait,
    CondResume,
    CondSignal,
    CondBroadcast,
    CondDestroy,
    RwReadLock,
    RwTryReadLock,
    RwWriteLock,
    RwWriteResume,
    RwTryWriteLock,
    RwUnlock,
    RwDestroy,
    SpinLock,
    SpinTryLock,
    SpinUnlock,
    SpinDestroy,
    SemWait,
    SemTryWait,
    SemPost,
    SemGetValue,
    SemDestroy,
    SemOpen,  ///< of a named semaphore; `object` is the name, and what it stands for is known to the
              ///< Execution
    SemClose,
    SemUnlink,
    BarrierWait,
    BarrierResume,
    BarrierDestroy,
    OnceEnter,
    OnceDone,
    OnceAbort,
    FutexWait,
    FutexResume,
    FutexWake,
    Sleep,
    Yield,
    Choose,
    Read,
    Write,
    ReadWrite,
    SystemCall,  ///< on something that threads share through the kernel: a pipe, a socket, a signal
    Output,
    ProcessExit,
    Failure,  ///< a failed assertion, a fatal signal: the process ends when it is carried out
    Count_
};

inline constexpr std::size_t op_kind_count = static_cast<std::size_t>(OpKind::Count_);

/// What a thread will do next, or has done.
struct Operation {
    OpKind kind = OpKind::ThreadStart;
    /// A lock, an unlock, a wait ... with a time limit: it may also time out.
    bool timed = false;
    /// Somebody else who waits has an earlier time limit, which comes first unless timeouts are explored
    /// (kept up to date while it is parked, by whoever knows the time).
    bool outlasted = false;
    /// The operation lies in code the user trusts: no block ends here.
    bool trusted = false;
    /// Read, Write, ReadWrite: a std::atomic or lock-prefixed access, which synchronizes.
    bool atomic = false;
    /// Read, Write, ReadWrite: how many bytes, from `location` on.
    std::uint32_t size = 1;
    /// The object operated on; invalid for operations on threads and on memory.
    ObjectId object;
    /// The mutex of a wait on a condition.
    ObjectId mutex;
    /// The thread created, joined, detached or cancelled.
    ThreadId thread;
    /// The memory accessed, for Read, Write and ReadWrite; the word compared, for FutexWait; the file, for
    /// Output.
    Location location;
    /// Choose: the number of possible values. FutexWake: how many to wake. FutexWait: whether the
    /// word still has the expected value (filled in when the step is made).
    /// ProcessExit: the exit code. Yield: 1 if the thread looks again in a loop of its own. SemClose: whether
    /// nobody has the semaphore open any more (filled in as well). SystemCall: whether it can go on without
    /// waiting (kept up to date while it is parked, by whoever knows the kernel). Read, Write, ReadWrite: 1
    /// if the thread is here again and nothing has changed for it: it waits in a loop.
    std::int64_t value = 0;
    /// Where in the program; known to the Execution that made the operation, 0 if unknown.
    std::uint64_t site = 0;

    friend bool operator==(const Operation&, const Operation&) = default;
};

/// How an operation behaves against those of other threads (section 4 of the design).
enum class Mover : std::uint8_t {
    Local,    ///< no other thread can tell when it happens
    Acquire,  ///< may block; does not end a block
    Release,  ///< ends the block after it
    Alone,    ///< a block of its own: its result depends on what others do at that instant
};

/// How an operation touches one of its locations.
enum class Touch : std::uint8_t { None, Read, Write };

/// What kind of object `Operation::object` is.
enum class ObjectClass : std::uint8_t {
    None,
    Mutex,
    Condition,
    RwLock,
    SpinLock,
    Semaphore,
    Barrier,
    Once,
    Futex
};

/// One row per operation: the whole of what the search has to know about it.
struct OpTraits {
    OpKind kind;
    std::string_view name;
    ObjectClass object_class;
    Mover mover;
    Touch object;         ///< how `object` is touched
    Touch mutex;          ///< how `mutex` is touched
    Touch target_thread;  ///< how the life of `thread` is touched
    Touch own_thread;     ///< how the life of the operating thread is touched
    bool tests_holders;   ///< the result tells who holds the object at this instant
    bool cancellation_point;
};

[[nodiscard]] const OpTraits& traits(OpKind kind);
[[nodiscard]] inline std::string_view name(OpKind kind) { return traits(kind).name; }

/// True for classes that protect data: their acquires and releases order data accesses and
/// nothing else (footprints made of data leave them out).
[[nodiscard]] constexpr bool is_lock(ObjectClass object_class) {
    return object_class == ObjectClass::Mutex || object_class == ObjectClass::RwLock ||
           object_class == ObjectClass::SpinLock;
}

}  // namespace coopcheck
