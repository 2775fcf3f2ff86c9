#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/operation.hpp"
#include "core/sync_objects.hpp"
#include "tests/support/fiber_api.hpp"

namespace coopcheck::testing {

/// What a thread of a random program can do: the operations of the fiber API, and local instructions on the
/// thread's registers.
enum class Opcode : std::uint8_t {
    Create,
    Join,
    TimedJoin,
    TryJoin,
    Detach,
    Cancel,
    Lock,
    TryLock,
    TimedLock,
    Unlock,
    Consistent,
    DestroyMutex,
    Wait,
    TimedWait,
    Signal,
    Broadcast,
    DestroyCondition,
    ReadLock,
    TryReadLock,
    TimedReadLock,
    WriteLock,
    TryWriteLock,
    TimedWriteLock,
    RwUnlock,
    DestroyRwLock,
    SpinLock,
    SpinTryLock,
    SpinUnlock,
    DestroySpin,
    SemWait,
    SemTryWait,
    SemTimedWait,
    SemPost,
    SemGetValue,
    DestroySemaphore,
    BarrierWait,
    DestroyBarrier,
    OnceEnter,  ///< runs the code up to its OnceDone as the routine; `target` is behind that
    OnceDone,
    FutexWait,
    FutexTimedWait,
    FutexWake,
    Sleep,
    Yield,
    Choose,
    Read,
    Write,          ///< variable = value
    WriteRegister,  ///< variable = register + value
    FetchAdd,
    Exit,
    // Local from here on.
    Set,  ///< register = value
    Add,  ///< register += value
    Jump,
    JumpIfEqual,     ///< register == value
    JumpIfNotEqual,  ///< register != value
    AssertEqual,
    AssertNotEqual,
    TrustedBegin,  ///< code up to TrustedEnd is trusted; `target` is behind that
    TrustedEnd,
    Count_
};

/// What Instruction::object is an index of.
enum class Operand : std::uint8_t {
    None,
    Thread,
    Mutex,
    Condition,
    RwLock,
    Spin,
    Semaphore,
    Barrier,
    Once,
    Variable
};

struct OpcodeTraits {
    Opcode code;
    std::string_view call;  ///< the function of the fiber API
    Operand operand;
    OpKind kind;  ///< for visible operations
    bool visible;
    bool timed;
};
[[nodiscard]] const OpcodeTraits& traits(Opcode code);

struct Instruction {
    Opcode code = Opcode::Yield;
    /// The object, variable or thread; the condition of a wait.
    int object = 0;
    /// The constant; the mutex of a wait.
    int value = 0;
    /// The register that gets the result, or that is written or compared; -1 if none.
    int reg = -1;
    /// Jumps, OnceEnter, TrustedBegin: an index into the thread's code, its size at most.
    int target = -1;

    friend bool operator==(const Instruction&, const Instruction&) = default;
};

struct MutexDeclaration {
    MutexKind kind = MutexKind::Normal;
    bool robust = false;
    friend bool operator==(const MutexDeclaration&, const MutexDeclaration&) = default;
};

/// A program as data: it can be generated, shrunk, printed, and run by two interpreters that share nothing.
struct Program {
    std::vector<MutexDeclaration> mutexes;
    int conditions = 0;
    std::vector<RwPolicy> rwlocks;
    int spins = 0;
    std::vector<int> semaphores;  ///< their first values
    std::vector<int> barriers;    ///< their counts
    int onces = 0;
    std::vector<int> variables;  ///< their first values
    /// The code of each thread; the first is main.
    std::vector<std::vector<Instruction>> threads;

    friend bool operator==(const Program&, const Program&) = default;
};

inline constexpr int register_count = 4;
inline constexpr std::size_t max_threads = 6;
inline constexpr std::size_t max_variables = 8;

/// m0, c0, w0 (rwlock), s0 (spin lock), q0 (semaphore), b0, o0, x0 (variable).
[[nodiscard]] std::string object_name(Operand operand, int index);
[[nodiscard]] int object_count(const Program& program, Operand operand);
/// What a failed assertion says: thread, place and condition.
[[nodiscard]] std::string assertion_text(int thread, int place, const Instruction& instruction);
/// What is wrong with the bytecode, if anything. Right bytecode may misuse primitives and deadlock, but it
/// ends in every fair schedule, or waits for ever, and means the same to both interpreters:
/// - every thread but main is created at most once, by a thread with a lower number, not in a loop;
/// - a thread refers only to itself, to main, to threads it creates itself, and to threads created before it
/// by
///   an ancestor, so that nobody reads a handle that another thread is just about to write;
/// - once routines and trusted regions are properly nested and no jump crosses their edges;
/// - jumps are those of properly nested ifs and loops, and breaks;
/// - every loop passes through a Wait, a Yield or a Sleep, and wakes nobody.
[[nodiscard]] std::optional<std::string> problem(const Program& program);

/// C++ over the fiber API, to be pasted as a test.
[[nodiscard]] std::string to_code(const Program& program);

[[nodiscard]] FiberProgram to_fibers(const Program& program);

/// One argument for tests/targets/interpreter.c, which does the same with real threads. There must be no
/// trusted regions.
[[nodiscard]] std::string to_text(const Program& program);

}  // namespace coopcheck::testing
