#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/operation.hpp"

namespace coopcheck::tracer {

/// What happens when a thread arrives at a function we have a breakpoint on.
enum class CallUse : std::uint8_t {
    Complete,          ///< a visible operation; we do all of it and return to the caller
    RunNative,         ///< a visible operation; if it succeeds, the function's own code does the rest
    Create,            ///< pthread_create: its own code runs up to the clone system call
    Once,              ///< pthread_once: its own code runs the routine
    Initialize,        ///< an object begins its life; its own code runs
    SpinInitOrUnlock,  ///< glibc has one function for both; the state of the lock tells which
    CancelState,       ///< pthread_setcancelstate: its own code runs
    ThreadExit,        ///< pthread_exit: its own code runs, and cannot be cancelled any more
    SendSignal,        ///< a signal for another thread: a visible operation; its own code runs
    Sleep,             ///< clock_nanosleep: its own code runs up to the system call, unless it is cancelled
    StreamLock,   ///< flockfile and its relatives: a lock of the model and, with it, the one in the stream
    Name,         ///< sem_open, sem_unlink: the first argument is a name
    AssertFail,   ///< a failed assert()
    LoaderEvent,  ///< the dynamic linker has loaded or dropped objects
    StartMain,    ///< __libc_start_main: tells where main is
    Main,         ///< main itself
    SpinPoint,    ///< not a function: the head of a loop that waits for memory to change
    Access,       ///< not a function: an instruction that may access visible memory
    Allocator,    ///< malloc and its relatives, where memory is watched: its own code runs
    Bind,         ///< the dynamic linker looks a function up at its first call: its own code runs
    Bound,        ///< not a function: where it jumps to the one it has found
    Refuse,       ///< synchronizes in a way that we do not model
};

/// How the caller is told the result.
enum class ResultStyle : std::uint8_t {
    ErrorNumber,  ///< 0 or an error number
    MinusOne,     ///< 0, or -1 with errno
    C11,          ///< thrd_success, thrd_busy, ...
    Stored,       ///< a value stored where the second argument points, and 0
    Guard,        ///< 1 if the caller is to initialize the variable, 0 if that was done
};

/// Which argument is the time limit.
enum class Deadline : std::uint8_t { None, Second, Third, Fourth };

/// One row per function: the first argument is always the object (or the thread).
struct Hook {
    std::string_view name;
    CallUse use = CallUse::Complete;
    OpKind kind = OpKind::ThreadStart;
    ObjectClass object_class = ObjectClass::None;
    ResultStyle result = ResultStyle::ErrorNumber;
    Deadline deadline = Deadline::None;
    /// The second argument is the mutex of a condition.
    bool has_mutex = false;
};

[[nodiscard]] std::span<const Hook> all_hooks();
/// Functions that give memory out and take it back.
[[nodiscard]] std::span<const Hook> allocator_hooks();
/// The row for main, which has no fixed name.
[[nodiscard]] const Hook& main_hook();
/// The row for the head of a loop that waits for memory to change.
[[nodiscard]] const Hook& spin_point_hook();
/// The row for an instruction that may access visible memory.
[[nodiscard]] const Hook& access_point_hook();
/// The rows for the dynamic linker's entry for functions that are called for the first time, and its exit.
[[nodiscard]] const Hook& bind_hook();
[[nodiscard]] const Hook& bound_hook();
/// The row for an address that is both pthread_spin_init and pthread_spin_unlock.
[[nodiscard]] const Hook& spin_init_or_unlock_hook();

}  // namespace coopcheck::tracer
