// Programs as C++ over the fiber API.
#include <algorithm>
#include <utility>

#include "tests/support/program.hpp"

namespace coopcheck::testing {

namespace {

using Code = std::vector<Instruction>;

class Printer {
  public:
    explicit Printer(const Program& program) : program_(program) {}

    std::string print() {
        line("FiberProgram program{[](Api& api) {");
        ++depth_;
        declare_objects();
        print_thread(0);
        --depth_;
        line("}};");
        return text_;
    }

  private:
    void line(const std::string& content) {
        text_ += std::string(static_cast<std::size_t>(depth_) * 4, ' ') + content + '\n';
    }

    void declare(std::string_view type, Operand operand, int index, std::string_view call,
                 const std::string& rest) {
        const std::string name = object_name(operand, index);
        line(std::string(type) + ' ' + name + " = api." + std::string(call) + "(\"" + name + '"' +
             (rest.empty() ? "" : ", " + rest) + ");");
    }

    void declare_objects() {
        for (int i = 0; i < object_count(program_, Operand::Mutex); ++i) {
            const MutexDeclaration& mutex = program_.mutexes[static_cast<std::size_t>(i)];
            const char* kind = mutex.kind == MutexKind::Normal      ? ""
                               : mutex.kind == MutexKind::Recursive ? "MutexKind::Recursive"
                                                                    : "MutexKind::ErrorChecking";
            declare("const Mutex", Operand::Mutex, i, mutex.robust ? "robust_mutex" : "mutex", kind);
        }
        for (int i = 0; i < program_.conditions; ++i) {
            declare("const Condition", Operand::Condition, i, "condition", "");
        }
        for (int i = 0; i < object_count(program_, Operand::RwLock); ++i) {
            const bool plain = program_.rwlocks[static_cast<std::size_t>(i)] == RwPolicy::PreferReader;
            declare("const RwLock", Operand::RwLock, i, "rwlock", plain ? "" : "RwPolicy::PreferWriter");
        }
        for (int i = 0; i < program_.spins; ++i) {
            declare("const Spin", Operand::Spin, i, "spin", "");
        }
        for (int i = 0; i < object_count(program_, Operand::Semaphore); ++i) {
            declare("const Semaphore", Operand::Semaphore, i, "semaphore",
                    std::to_string(program_.semaphores[static_cast<std::size_t>(i)]));
        }
        for (int i = 0; i < object_count(program_, Operand::Barrier); ++i) {
            declare("const Barrier", Operand::Barrier, i, "barrier",
                    std::to_string(program_.barriers[static_cast<std::size_t>(i)]));
        }
        for (int i = 0; i < program_.onces; ++i) {
            declare("const Once", Operand::Once, i, "once", "");
        }
        for (int i = 0; i < object_count(program_, Operand::Variable); ++i) {
            declare("const Var", Operand::Variable, i, "var",
                    std::to_string(program_.variables[static_cast<std::size_t>(i)]));
        }
    }

    void print_thread(int number) {
        const int outer = std::exchange(thread_, number);
        const Code& code = program_.threads[static_cast<std::size_t>(number)];
        std::string registers;
        for (int reg = 0; reg < register_count; ++reg) {
            if (std::any_of(code.begin(), code.end(),
                            [&](const Instruction& one) { return one.reg == reg; })) {
                registers += (registers.empty() ? "" : ", ") + register_name(reg) + " = 0";
            }
        }
        if (!registers.empty()) {
            line("std::int64_t " + registers + ';');
        }
        for (const Instruction& instruction : code) {
            if (instruction.code == Opcode::Create) {
                line("ThreadId " + object_name(Operand::Thread, instruction.object) + ';');
            }
        }
        print_range(0, static_cast<int>(code.size()), -1);
        thread_ = outer;
    }

    [[nodiscard]] const Instruction& at(int place) const {
        return program_.threads[static_cast<std::size_t>(thread_)][static_cast<std::size_t>(place)];
    }

    [[nodiscard]] std::string register_name(int reg) const {
        return 'r' + std::to_string(thread_) + '_' + std::to_string(reg);
    }

    /// The jump back to `place` that closes a loop before `end`, or -1.
    [[nodiscard]] int loop_end(int place, int end) const {
        for (int jump = end - 1; jump > place; --jump) {
            if (at(jump).code == Opcode::Jump && at(jump).target == place) {
                return jump;
            }
        }
        return -1;
    }

    /// `loop` is the place behind the innermost loop: a jump there is a break. -1 if there is no loop.
    void print_range(int place, int end, int loop) {
        while (place < end) {
            if (const int jump = loop_end(place, end); jump >= 0) {
                line("for (;;) {");
                ++depth_;
                print_range(place, jump, jump + 1);
                --depth_;
                line("}");
                place = jump + 1;
            } else {
                place = print_statement(place, loop);
            }
        }
    }

    /// Returns the place behind what was printed.
    int print_statement(int place, int loop) {
        const Instruction& instruction = at(place);
        switch (instruction.code) {
            case Opcode::Create:
                line(object_name(Operand::Thread, instruction.object) + " = api.create([=, &api] {");
                ++depth_;
                print_thread(instruction.object);
                --depth_;
                line("});");
                return place + 1;
            case Opcode::OnceEnter:
            case Opcode::TrustedBegin:
                line("api." + std::string(traits(instruction.code).call) + '(' +
                     (instruction.code == Opcode::OnceEnter
                          ? object_name(Operand::Once, instruction.object) + ", "
                          : "") +
                     "[&] {");
                ++depth_;
                print_range(place + 1, instruction.target - 1, -1);
                --depth_;
                line("});");
                return instruction.target;
            case Opcode::Jump:
                line("break;");
                return place + 1;
            case Opcode::JumpIfEqual:
            case Opcode::JumpIfNotEqual: {
                const bool equal = instruction.code == Opcode::JumpIfEqual;
                if (instruction.target == loop) {
                    line("if (" + condition(instruction, equal) + ") break;");
                    return place + 1;
                }
                line("if (" + condition(instruction, !equal) + ") {");
                ++depth_;
                print_range(place + 1, instruction.target, loop);
                --depth_;
                line("}");
                return instruction.target;
            }
            case Opcode::Set:
                line(register_name(instruction.reg) + " = " + std::to_string(instruction.value) + ';');
                return place + 1;
            case Opcode::Add:
                line(register_name(instruction.reg) + " += " + std::to_string(instruction.value) + ';');
                return place + 1;
            case Opcode::AssertEqual:
            case Opcode::AssertNotEqual:
                line("api.check(" + condition(instruction, instruction.code == Opcode::AssertEqual) + ", \"" +
                     assertion_text(thread_, place, instruction) + "\");");
                return place + 1;
            default:
                line(call(instruction));
                return place + 1;
        }
    }

    [[nodiscard]] std::string condition(const Instruction& instruction, bool equal) const {
        return register_name(instruction.reg) + (equal ? " == " : " != ") + std::to_string(instruction.value);
    }

    [[nodiscard]] std::string thread_name(int number) const {
        const bool created =
            std::any_of(program_.threads.begin(), program_.threads.end(), [&](const Code& code) {
                return std::any_of(code.begin(), code.end(), [&](const Instruction& one) {
                    return one.code == Opcode::Create && one.object == number;
                });
            });
        return number == thread_ ? "api.self()"
               : number == 0     ? "main_thread"
               : created         ? object_name(Operand::Thread, number)
                                 : "ThreadId{}";
    }

    [[nodiscard]] std::string call(const Instruction& instruction) const {
        const OpcodeTraits& row = traits(instruction.code);
        std::string arguments = row.operand == Operand::None ? ""
                                : row.operand == Operand::Thread
                                    ? thread_name(instruction.object)
                                    : object_name(row.operand, instruction.object);
        const auto add = [&](const std::string& argument) {
            arguments += (arguments.empty() ? "" : ", ") + argument;
        };
        switch (instruction.code) {
            case Opcode::Wait:
            case Opcode::TimedWait:
                add(object_name(Operand::Mutex, instruction.value));
                break;
            case Opcode::WriteRegister:
                add(register_name(instruction.reg) +
                    (instruction.value == 0 ? "" : " + " + std::to_string(instruction.value)));
                break;
            case Opcode::FutexWait:
            case Opcode::FutexTimedWait:
            case Opcode::FutexWake:
            case Opcode::Choose:
            case Opcode::Write:
            case Opcode::FetchAdd:
            case Opcode::Exit:
                add(std::to_string(instruction.value));
                break;
            default:
                break;
        }
        const bool has_result = instruction.reg >= 0 && instruction.code != Opcode::WriteRegister;
        return (has_result ? register_name(instruction.reg) + " = " : "") + "api." + std::string(row.call) +
               '(' + arguments + ");";
    }

    const Program& program_;
    std::string text_;
    int depth_ = 0;
    int thread_ = 0;
};

}  // namespace

std::string to_code(const Program& program) { return Printer(program).print(); }

}  // namespace coopcheck::testing
