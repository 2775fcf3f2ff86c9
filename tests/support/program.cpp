#include "tests/support/program.hpp"

#include <algorithm>
#include <array>

#include "core/check.hpp"

namespace coopcheck::testing {

namespace {

constexpr OpKind local = OpKind::ThreadStart;

// clang-format off
constexpr std::array<OpcodeTraits, static_cast<std::size_t>(Opcode::Count_)> table{{
    // code                     call               operand             kind                     visible timed
    {Opcode::Create,            "create",          Operand::Thread,    OpKind::ThreadCreate,    true,  false},
    {Opcode::Join,              "join",            Operand::Thread,    OpKind::ThreadJoin,      true,  false},
    {Opcode::TimedJoin,         "timedjoin",       Operand::Thread,    OpKind::ThreadJoin,      true,  true},
    {Opcode::TryJoin,           "tryjoin",         Operand::Thread,    OpKind::ThreadTryJoin,   true,  false},
    {Opcode::Detach,            "detach",          Operand::Thread,    OpKind::ThreadDetach,    true,  false},
    {Opcode::Cancel,            "cancel",          Operand::Thread,    OpKind::ThreadCancel,    true,  false},
    {Opcode::Lock,              "lock",            Operand::Mutex,     OpKind::MutexLock,       true,  false},
    {Opcode::TryLock,           "trylock",         Operand::Mutex,     OpKind::MutexTryLock,    true,  false},
    {Opcode::TimedLock,         "timedlock",       Operand::Mutex,     OpKind::MutexLock,       true,  true},
    {Opcode::Unlock,            "unlock",          Operand::Mutex,     OpKind::MutexUnlock,     true,  false},
    {Opcode::Consistent,        "consistent",      Operand::Mutex,     OpKind::MutexConsistent, true,  false},
    {Opcode::DestroyMutex,      "destroy",         Operand::Mutex,     OpKind::MutexDestroy,    true,  false},
    {Opcode::Wait,              "wait",            Operand::Condition, OpKind::CondWait,        true,  false},
    {Opcode::TimedWait,         "timedwait",       Operand::Condition, OpKind::CondWait,        true,  true},
    {Opcode::Signal,            "signal",          Operand::Condition, OpKind::CondSignal,      true,  false},
    {Opcode::Broadcast,         "broadcast",       Operand::Condition, OpKind::CondBroadcast,   true,  false},
    {Opcode::DestroyCondition,  "destroy",         Operand::Condition, OpKind::CondDestroy,     true,  false},
    {Opcode::ReadLock,          "rdlock",          Operand::RwLock,    OpKind::RwReadLock,      true,  false},
    {Opcode::TryReadLock,       "tryrdlock",       Operand::RwLock,    OpKind::RwTryReadLock,   true,  false},
    {Opcode::TimedReadLock,     "timedrdlock",     Operand::RwLock,    OpKind::RwReadLock,      true,  true},
    {Opcode::WriteLock,         "wrlock",          Operand::RwLock,    OpKind::RwWriteLock,     true,  false},
    {Opcode::TryWriteLock,      "trywrlock",       Operand::RwLock,    OpKind::RwTryWriteLock,  true,  false},
    {Opcode::TimedWriteLock,    "timedwrlock",     Operand::RwLock,    OpKind::RwWriteLock,     true,  true},
    {Opcode::RwUnlock,          "rwunlock",        Operand::RwLock,    OpKind::RwUnlock,        true,  false},
    {Opcode::DestroyRwLock,     "destroy",         Operand::RwLock,    OpKind::RwDestroy,       true,  false},
    {Opcode::SpinLock,          "spin_lock",       Operand::Spin,      OpKind::SpinLock,        true,  false},
    {Opcode::SpinTryLock,       "spin_trylock",    Operand::Spin,      OpKind::SpinTryLock,     true,  false},
    {Opcode::SpinUnlock,        "spin_unlock",     Operand::Spin,      OpKind::SpinUnlock,      true,  false},
    {Opcode::DestroySpin,       "destroy",         Operand::Spin,      OpKind::SpinDestroy,     true,  false},
    {Opcode::SemWait,           "sem_wait",        Operand::Semaphore, OpKind::SemWait,         true,  false},
    {Opcode::SemTryWait,        "sem_trywait",     Operand::Semaphore, OpKind::SemTryWait,      true,  false},
    {Opcode::SemTimedWait,      "sem_timedwait",   Operand::Semaphore, OpKind::SemWait,         true,  true},
    {Opcode::SemPost,           "sem_post",        Operand::Semaphore, OpKind::SemPost,         true,  false},
    {Opcode::SemGetValue,       "sem_getvalue",    Operand::Semaphore, OpKind::SemGetValue,     true,  false},
    {Opcode::DestroySemaphore,  "destroy",         Operand::Semaphore, OpKind::SemDestroy,      true,  false},
    {Opcode::BarrierWait,       "barrier_wait",    Operand::Barrier,   OpKind::BarrierWait,     true,  false},
    {Opcode::DestroyBarrier,    "destroy",         Operand::Barrier,   OpKind::BarrierDestroy,  true,  false},
    {Opcode::OnceEnter,         "call_once",       Operand::Once,      OpKind::OnceEnter,       true,  false},
    {Opcode::OnceDone,          "",                Operand::Once,      OpKind::OnceDone,        true,  false},
    {Opcode::FutexWait,         "futex_wait",      Operand::Variable,  OpKind::FutexWait,       true,  false},
    {Opcode::FutexTimedWait,    "futex_timedwait", Operand::Variable,  OpKind::FutexWait,       true,  true},
    {Opcode::FutexWake,         "futex_wake",      Operand::Variable,  OpKind::FutexWake,       true,  false},
    {Opcode::Sleep,             "sleep",           Operand::None,      OpKind::Sleep,           true,  false},
    {Opcode::Yield,             "yield",           Operand::None,      OpKind::Yield,           true,  false},
    {Opcode::Choose,            "choose",          Operand::None,      OpKind::Choose,          true,  false},
    {Opcode::Read,              "read",            Operand::Variable,  OpKind::Read,            true,  false},
    {Opcode::Write,             "write",           Operand::Variable,  OpKind::Write,           true,  false},
    {Opcode::WriteRegister,     "write",           Operand::Variable,  OpKind::Write,           true,  false},
    {Opcode::FetchAdd,          "fetch_add",       Operand::Variable,  OpKind::ReadWrite,       true,  false},
    {Opcode::Exit,              "exit",            Operand::None,      OpKind::ProcessExit,     true,  false},
    {Opcode::Set,               "",                Operand::None,      local,                   false, false},
    {Opcode::Add,               "",                Operand::None,      local,                   false, false},
    {Opcode::Jump,              "",                Operand::None,      local,                   false, false},
    {Opcode::JumpIfEqual,       "",                Operand::None,      local,                   false, false},
    {Opcode::JumpIfNotEqual,    "",                Operand::None,      local,                   false, false},
    {Opcode::AssertEqual,       "",                Operand::None,      local,                   false, false},
    {Opcode::AssertNotEqual,    "",                Operand::None,      local,                   false, false},
    {Opcode::TrustedBegin,      "trusted",         Operand::None,      local,                   false, false},
    {Opcode::TrustedEnd,        "",                Operand::None,      local,                   false, false},
}};
// clang-format on

constexpr bool rows_are_in_order() {
    for (std::size_t row = 0; row < table.size(); ++row) {
        if (table[row].code != static_cast<Opcode>(row)) {
            return false;
        }
    }
    return true;
}
static_assert(rows_are_in_order());

}  // namespace

const OpcodeTraits& traits(Opcode code) {
    COOPCHECK_CHECK(code < Opcode::Count_, "an instruction of no kind");
    return table[static_cast<std::size_t>(code)];
}

std::string object_name(Operand operand, int index) {
    constexpr std::string_view letters = "?tmcwsqbox";
    return letters[static_cast<std::size_t>(operand)] + std::to_string(index);
}

int object_count(const Program& program, Operand operand) {
    switch (operand) {
        case Operand::None:
            return 0;
        case Operand::Thread:
            return static_cast<int>(program.threads.size());
        case Operand::Mutex:
            return static_cast<int>(program.mutexes.size());
        case Operand::Condition:
            return program.conditions;
        case Operand::RwLock:
            return static_cast<int>(program.rwlocks.size());
        case Operand::Spin:
            return program.spins;
        case Operand::Semaphore:
            return static_cast<int>(program.semaphores.size());
        case Operand::Barrier:
            return static_cast<int>(program.barriers.size());
        case Operand::Once:
            return program.onces;
        case Operand::Variable:
            return static_cast<int>(program.variables.size());
    }
    COOPCHECK_CHECK(false, "an operand of no kind");
}

std::string assertion_text(int thread, int place, const Instruction& instruction) {
    return 't' + std::to_string(thread) + ':' + std::to_string(place) + " r" +
           std::to_string(instruction.reg) + (instruction.code == Opcode::AssertEqual ? " == " : " != ") +
           std::to_string(instruction.value);
}

}  // namespace coopcheck::testing
