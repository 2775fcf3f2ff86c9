#include "reporting/trace_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/check.hpp"

namespace coopcheck {

namespace {

template <typename Enumeration>
struct Word {
    Enumeration value;
    std::string_view word;
};

constexpr std::array<Word<OpKind>, 56> operations{{
    {OpKind::ThreadStart, "thread-start"},
    {OpKind::ThreadCreate, "thread-create"},
    {OpKind::ThreadJoin, "thread-join"},
    {OpKind::ThreadTryJoin, "thread-try-join"},
    {OpKind::ThreadExit, "thread-exit"},
    {OpKind::ThreadDetach, "thread-detach"},
    {OpKind::ThreadCancel, "thread-cancel"},
    {OpKind::ThreadTestCancel, "thread-test-cancel"},
    {OpKind::MutexLock, "mutex-lock"},
    {OpKind::MutexTryLock, "mutex-try-lock"},
    {OpKind::MutexUnlock, "mutex-unlock"},
    {OpKind::MutexConsistent, "mutex-consistent"},
    {OpKind::MutexDestroy, "mutex-destroy"},
    {OpKind::CondWait, "cond-wait"},
    {OpKind::CondResume, "cond-resume"},
    {OpKind::CondSignal, "cond-signal"},
    {OpKind::CondBroadcast, "cond-broadcast"},
    {OpKind::CondDestroy, "cond-destroy"},
    {OpKind::RwReadLock, "rw-read-lock"},
    {OpKind::RwTryReadLock, "rw-try-read-lock"},
    {OpKind::RwWriteLock, "rw-write-lock"},
    {OpKind::RwWriteResume, "rw-write-resume"},
    {OpKind::RwTryWriteLock, "rw-try-write-lock"},
    {OpKind::RwUnlock, "rw-unlock"},
    {OpKind::RwDestroy, "rw-destroy"},
    {OpKind::SpinLock, "spin-lock"},
    {OpKind::SpinTryLock, "spin-try-lock"},
    {OpKind::SpinUnlock, "spin-unlock"},
    {OpKind::SpinDestroy, "spin-destroy"},
    {OpKind::SemWait, "sem-wait"},
    {OpKind::SemTryWait, "sem-try-wait"},
    {OpKind::SemPost, "sem-post"},
    {OpKind::SemGetValue, "sem-get-value"},
    {OpKind::SemDestroy, "sem-destroy"},
    {OpKind::SemOpen, "sem-open"},
    {OpKind::SemClose, "sem-close"},
    {OpKind::SemUnlink, "sem-unlink"},
    {OpKind::BarrierWait, "barrier-wait"},
    {OpKind::BarrierResume, "barrier-resume"},
    {OpKind::BarrierDestroy, "barrier-destroy"},
    {OpKind::OnceEnter, "once-enter"},
    {OpKind::OnceDone, "once-done"},
    {OpKind::OnceAbort, "once-abort"},
    {OpKind::FutexWait, "futex-wait"},
    {OpKind::FutexResume, "futex-resume"},
    {OpKind::FutexWake, "futex-wake"},
    {OpKind::Sleep, "sleep"},
    {OpKind::Yield, "yield"},
    {OpKind::Choose, "choose"},
    {OpKind::Read, "read"},
    {OpKind::Write, "write"},
    {OpKind::ReadWrite, "read-write"},
    {OpKind::SystemCall, "system-call"},
    {OpKind::Output, "output"},
    {OpKind::ProcessExit, "process-exit"},
    {OpKind::Failure, "failure"},
}};
static_assert(operations.size() == op_kind_count);

constexpr std::array<Word<FindingKind>, 8> findings{{
    {FindingKind::Deadlock, "deadlock"},
    {FindingKind::Assertion, "assertion"},
    {FindingKind::Crash, "crash"},
    {FindingKind::BadExit, "bad-exit"},
    {FindingKind::WrongOutput, "wrong-output"},
    {FindingKind::Race, "race"},
    {FindingKind::Misuse, "misuse"},
    {FindingKind::Livelock, "livelock"},
}};

constexpr std::array<Word<Misuse>, 14> misuses{{
    {Misuse::UnlockByStranger, "unlock-by-stranger"},
    {Misuse::SelfDeadlock, "self-deadlock"},
    {Misuse::DestroyWhileInUse, "destroy-while-in-use"},
    {Misuse::UseAfterDestroy, "use-after-destroy"},
    {Misuse::UseBeforeInit, "use-before-init"},
    {Misuse::WaitWithoutMutex, "wait-without-mutex"},
    {Misuse::TwoMutexesOneCondition, "two-mutexes-one-condition"},
    {Misuse::BadSemaphoreValue, "bad-semaphore-value"},
    {Misuse::BadBarrierCount, "bad-barrier-count"},
    {Misuse::ExitHoldingLock, "exit-holding-lock"},
    {Misuse::JoinDetached, "join-detached"},
    {Misuse::JoinTwice, "join-twice"},
    {Misuse::OnceRecursion, "once-recursion"},
    {Misuse::ConsistentWithoutDeath, "consistent-without-death"},
}};

constexpr std::array<Word<Variant::Kind>, 7> variants{{
    {Variant::Kind::Normal, "normal"},
    {Variant::Kind::Wake, "wake"},
    {Variant::Kind::Subset, "subset"},
    {Variant::Kind::Timeout, "timeout"},
    {Variant::Kind::Spurious, "spurious"},
    {Variant::Kind::Value, "value"},
    {Variant::Kind::Cancel, "cancel"},
}};

constexpr std::array<Word<SwitchKind>, 4> switches{{
    {SwitchKind::Start, "start"},
    {SwitchKind::Continue, "continue"},
    {SwitchKind::Free, "free"},
    {SwitchKind::Preemption, "preemption"},
}};

// Every value has its row, in order, and no word stands for two.
template <typename Table>
constexpr bool is_sound(const Table& table) {
    for (std::size_t row = 0; row < table.size(); ++row) {
        if (static_cast<std::size_t>(table[row].value) != row) {
            return false;
        }
        for (std::size_t other = 0; other < row; ++other) {
            if (table[row].word == table[other].word) {
                return false;
            }
        }
    }
    return true;
}
static_assert(is_sound(operations) && is_sound(findings) && is_sound(misuses) && is_sound(variants) &&
              is_sound(switches));

template <typename Table, typename Enumeration>
std::string_view word_of(const Table& table, Enumeration value) {
    COOPCHECK_CHECK(static_cast<std::size_t>(value) < table.size(), "a value without a word in trace files");
    return table[static_cast<std::size_t>(value)].word;
}

template <typename Enumeration, typename Table>
std::optional<Enumeration> value_of(const Table& table, std::string_view word) {
    const auto row =
        std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.word == word; });
    return row == table.end() ? std::nullopt : std::optional{row->value};
}

}  // namespace

std::string_view file_name(OpKind kind) { return word_of(operations, kind); }
std::string_view file_name(FindingKind kind) { return word_of(findings, kind); }
std::string_view file_name(Misuse misuse) { return word_of(misuses, misuse); }
std::string_view file_name(Variant::Kind kind) { return word_of(variants, kind); }
std::string_view file_name(SwitchKind kind) { return word_of(switches, kind); }

template <>
std::optional<OpKind> from_file_name(std::string_view word) {
    return value_of<OpKind>(operations, word);
}
template <>
std::optional<FindingKind> from_file_name(std::string_view word) {
    return value_of<FindingKind>(findings, word);
}
template <>
std::optional<Misuse> from_file_name(std::string_view word) {
    return value_of<Misuse>(misuses, word);
}
template <>
std::optional<Variant::Kind> from_file_name(std::string_view word) {
    return value_of<Variant::Kind>(variants, word);
}
template <>
std::optional<SwitchKind> from_file_name(std::string_view word) {
    return value_of<SwitchKind>(switches, word);
}

}  // namespace coopcheck
