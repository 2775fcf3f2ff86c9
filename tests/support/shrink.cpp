#include "tests/support/shrink.hpp"

#include <algorithm>
#include <utility>

namespace coopcheck::testing {

namespace {

using Code = std::vector<Instruction>;

/// Takes out the instructions from `start` to before `end`; jumps into the gap lead to where it was.
void cut(Code& code, int start, int end) {
    code.erase(code.begin() + start, code.begin() + end);
    for (Instruction& instruction : code) {
        if (instruction.target >= end) {
            instruction.target -= end - start;
        } else if (instruction.target > start) {
            instruction.target = start;
        }
    }
}

void cut_where(Code& code, const std::function<bool(const Instruction&)>& unwanted) {
    for (int place = static_cast<int>(code.size()) - 1; place >= 0; --place) {
        if (unwanted(code[static_cast<std::size_t>(place)])) {
            cut(code, place, place + 1);
        }
    }
}

Program without_thread(Program program, int thread) {
    program.threads.erase(program.threads.begin() + thread);
    for (Code& code : program.threads) {
        const auto refers = [&](const Instruction& one) {
            return traits(one.code).operand == Operand::Thread;
        };
        cut_where(code, [&](const Instruction& one) { return refers(one) && one.object == thread; });
        for (Instruction& instruction : code) {
            instruction.object -= refers(instruction) && instruction.object > thread ? 1 : 0;
        }
    }
    return program;
}

void forget(Program& program, Operand operand, int index) {
    const auto drop = [&](auto& list) { list.erase(list.begin() + index); };
    switch (operand) {
        case Operand::Mutex:
            return drop(program.mutexes);
        case Operand::Condition:
            program.conditions -= 1;
            return;
        case Operand::RwLock:
            return drop(program.rwlocks);
        case Operand::Spin:
            program.spins -= 1;
            return;
        case Operand::Semaphore:
            return drop(program.semaphores);
        case Operand::Barrier:
            return drop(program.barriers);
        case Operand::Once:
            program.onces -= 1;
            return;
        case Operand::Variable:
            return drop(program.variables);
        case Operand::None:
        case Operand::Thread:
            return;
    }
}

/// Without the object, if nobody uses it.
std::optional<Program> without_object(Program program, Operand operand, int index) {
    const auto renumber = [&](Operand kind, int& number) {
        if (kind == operand && number > index) {
            number -= 1;
            return true;
        }
        return kind != operand || number < index;
    };
    for (Code& code : program.threads) {
        for (Instruction& instruction : code) {
            const OpcodeTraits& row = traits(instruction.code);
            if (!renumber(row.operand, instruction.object) ||
                (row.kind == OpKind::CondWait && !renumber(Operand::Mutex, instruction.value))) {
                return std::nullopt;
            }
        }
    }
    forget(program, operand, index);
    return program;
}

Opcode plainer(Opcode code) {
    switch (code) {
        case Opcode::TimedJoin:
            return Opcode::Join;
        case Opcode::TimedLock:
        case Opcode::TryLock:
            return Opcode::Lock;
        case Opcode::TimedReadLock:
        case Opcode::TryReadLock:
            return Opcode::ReadLock;
        case Opcode::TimedWriteLock:
        case Opcode::TryWriteLock:
            return Opcode::WriteLock;
        case Opcode::SemTimedWait:
        case Opcode::SemTryWait:
            return Opcode::SemWait;
        case Opcode::SpinTryLock:
            return Opcode::SpinLock;
        case Opcode::FutexTimedWait:
            return Opcode::FutexWait;
        case Opcode::TimedWait:
            return Opcode::Wait;
        case Opcode::WriteRegister:
            return Opcode::Write;
        default:
            return code;
    }
}

class Shrinker {
  public:
    Shrinker(Program program, const std::function<bool(const Program&)>& still_wrong)
        : program_(std::move(program)), still_wrong_(still_wrong) {}

    Program shrink() {
        bool smaller = true;
        while (smaller) {
            smaller = drop_threads();
            smaller = drop_instructions() || smaller;
            smaller = drop_pairs() || smaller;
            smaller = drop_objects() || smaller;
            smaller = simplify() || smaller;
        }
        return program_;
    }

  private:
    bool accept(Program candidate) {
        if (candidate == program_ || problem(candidate) || !still_wrong_(candidate)) {
            return false;
        }
        program_ = std::move(candidate);
        return true;
    }

    template <typename Change>
    bool accept_changed(Change&& change) {
        Program candidate = program_;
        std::forward<Change>(change)(candidate);
        return accept(std::move(candidate));
    }

    bool drop_threads() {
        bool any = false;
        for (int thread = static_cast<int>(program_.threads.size()) - 1; thread > 0; --thread) {
            any = accept(without_thread(program_, thread)) || any;
        }
        return any;
    }

    /// Ranges from half of a thread down to single instructions, from the end.
    bool drop_instructions() {
        bool any = false;
        for (std::size_t thread = 0; thread < program_.threads.size(); ++thread) {
            for (int length = std::max(static_cast<int>(program_.threads[thread].size()) / 2, 1); length > 0;
                 length /= 2) {
                for (int start = static_cast<int>(program_.threads[thread].size()) - length; start >= 0;
                     --start) {
                    if (start + length <= static_cast<int>(program_.threads[thread].size())) {
                        any = accept_changed([&](Program& candidate) {
                                  cut(candidate.threads[thread], start, start + length);
                              }) ||
                              any;
                    }
                }
            }
        }
        return any;
    }

    /// A lock and its unlock, the two ends of a once routine, a read and the jump that depends on it.
    bool drop_pairs() {
        bool any = false;
        for (std::size_t thread = 0; thread < program_.threads.size(); ++thread) {
            for (int second = static_cast<int>(program_.threads[thread].size()) - 1; second > 0; --second) {
                for (int first = second - 1; first >= 0; --first) {
                    if (second < static_cast<int>(program_.threads[thread].size())) {
                        any = accept_changed([&](Program& candidate) {
                                  cut(candidate.threads[thread], second, second + 1);
                                  cut(candidate.threads[thread], first, first + 1);
                              }) ||
                              any;
                    }
                }
            }
        }
        return any;
    }

    bool drop_objects() {
        bool any = false;
        for (const Operand operand :
             {Operand::Mutex, Operand::Condition, Operand::RwLock, Operand::Spin, Operand::Semaphore,
              Operand::Barrier, Operand::Once, Operand::Variable}) {
            for (int index = object_count(program_, operand) - 1; index >= 0; --index) {
                if (auto candidate = without_object(program_, operand, index)) {
                    any = accept(std::move(*candidate)) || any;
                }
            }
        }
        return any;
    }

    bool simplify() {
        bool any = false;
        for (std::size_t index = 0; index < program_.mutexes.size(); ++index) {
            any = accept_changed([&](Program& candidate) { candidate.mutexes[index].robust = false; }) || any;
            any = accept_changed(
                      [&](Program& candidate) { candidate.mutexes[index].kind = MutexKind::Normal; }) ||
                  any;
        }
        for (std::size_t index = 0; index < program_.rwlocks.size(); ++index) {
            any = accept_changed(
                      [&](Program& candidate) { candidate.rwlocks[index] = RwPolicy::PreferReader; }) ||
                  any;
        }
        for (std::size_t index = 0; index < program_.barriers.size(); ++index) {
            if (program_.barriers[index] > 2) {
                any = accept_changed([&](Program& candidate) { candidate.barriers[index] -= 1; }) || any;
            }
        }
        for (std::size_t thread = 0; thread < program_.threads.size(); ++thread) {
            for (std::size_t place = 0; place < program_.threads[thread].size(); ++place) {
                any = simplify_instruction(thread, place) || any;
            }
        }
        return any;
    }

    bool simplify_instruction(std::size_t thread, std::size_t place) {
        const Instruction old = program_.threads[thread][place];
        const auto change = [&](auto&& how) {
            return accept_changed([&](Program& candidate) { how(candidate.threads[thread][place]); });
        };
        bool any = change([&](Instruction& one) { one.code = plainer(old.code); });
        any = change([](Instruction& one) { one.reg = std::min(one.reg, -1); }) || any;
        any = change([](Instruction& one) { one.reg = std::min(one.reg, 0); }) || any;
        if (traits(old.code).kind != OpKind::CondWait && old.value > 1) {
            any = change([](Instruction& one) { one.value -= 1; }) || any;
        }
        return any;
    }

    Program program_;
    const std::function<bool(const Program&)>& still_wrong_;
};

}  // namespace

Program shrink(Program program, const std::function<bool(const Program&)>& still_wrong) {
    return Shrinker(std::move(program), still_wrong).shrink();
}

}  // namespace coopcheck::testing
