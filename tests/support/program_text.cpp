// Programs as text, for tests/targets/interpreter.c.
#include <array>

#include "core/check.hpp"
#include "tests/support/program.hpp"

namespace coopcheck::testing {

namespace {

/// In the order of Opcode. The interpreter knows no trusted regions.
constexpr std::array<std::string_view, static_cast<std::size_t>(Opcode::Count_)> names{
    "Create",
    "Join",
    "TimedJoin",
    "TryJoin",
    "Detach",
    "Cancel",
    "Lock",
    "TryLock",
    "TimedLock",
    "Unlock",
    "Consistent",
    "DestroyMutex",
    "Wait",
    "TimedWait",
    "Signal",
    "Broadcast",
    "DestroyCondition",
    "ReadLock",
    "TryReadLock",
    "TimedReadLock",
    "WriteLock",
    "TryWriteLock",
    "TimedWriteLock",
    "RwUnlock",
    "DestroyRwLock",
    "SpinLock",
    "SpinTryLock",
    "SpinUnlock",
    "DestroySpin",
    "SemWait",
    "SemTryWait",
    "SemTimedWait",
    "SemPost",
    "SemGetValue",
    "DestroySemaphore",
    "BarrierWait",
    "DestroyBarrier",
    "OnceEnter",
    "OnceDone",
    "FutexWait",
    "FutexTimedWait",
    "FutexWake",
    "Sleep",
    "Yield",
    "Choose",
    "Read",
    "Write",
    "WriteRegister",
    "FetchAdd",
    "Exit",
    "Set",
    "Add",
    "Jump",
    "JumpIfEqual",
    "JumpIfNotEqual",
    "AssertEqual",
    "AssertNotEqual",
    "",
    "",
};

constexpr std::string_view name_of(Opcode code) { return names[static_cast<std::size_t>(code)]; }
static_assert(name_of(Opcode::Create) == "Create" && name_of(Opcode::OnceDone) == "OnceDone" &&
              name_of(Opcode::Exit) == "Exit" && name_of(Opcode::AssertNotEqual) == "AssertNotEqual" &&
              name_of(Opcode::TrustedBegin).empty() && name_of(Opcode::TrustedEnd).empty());

int number_of(MutexKind kind) {
    switch (kind) {
        case MutexKind::Normal:
            return 0;
        case MutexKind::Recursive:
            return 1;
        case MutexKind::ErrorChecking:
            return 2;
    }
    COOPCHECK_CHECK(false, "a mutex of no kind");
}

}  // namespace

std::string to_text(const Program& program) {
    std::string text;
    const auto word = [&](std::string_view one) {
        text += text.empty() ? "" : " ";
        text += one;
    };
    const auto number = [&](int one) { word(std::to_string(one)); };
    for (const MutexDeclaration& mutex : program.mutexes) {
        word("mutex");
        number(number_of(mutex.kind));
        number(mutex.robust ? 1 : 0);
    }
    for (int nth = 0; nth < program.conditions; ++nth) {
        word("condition");
    }
    for (const RwPolicy policy : program.rwlocks) {
        word("rwlock");
        number(policy == RwPolicy::PreferWriter ? 1 : 0);
    }
    for (int nth = 0; nth < program.spins; ++nth) {
        word("spin");
    }
    for (const int value : program.semaphores) {
        word("semaphore");
        number(value);
    }
    for (const int count : program.barriers) {
        word("barrier");
        number(count);
    }
    for (const int value : program.variables) {
        word("variable");
        number(value);
    }
    for (const std::vector<Instruction>& code : program.threads) {
        word("thread");
        for (const Instruction& instruction : code) {
            const std::string_view name = name_of(instruction.code);
            COOPCHECK_CHECK(!name.empty(), "an instruction that has no text");
            word(name);
            number(instruction.object);
            number(instruction.value);
            number(instruction.reg);
            number(instruction.target);
        }
    }
    return text;
}

}  // namespace coopcheck::testing
