// Which bytecode is right.
#include <algorithm>
#include <array>

#include "tests/support/program.hpp"

namespace coopcheck::testing {

namespace {

using Code = std::vector<Instruction>;

bool is_jump(Opcode code) {
    return code == Opcode::Jump || code == Opcode::JumpIfEqual || code == Opcode::JumpIfNotEqual;
}

bool refers_to_thread(Opcode code) {
    return code == Opcode::Join || code == Opcode::TimedJoin || code == Opcode::TryJoin ||
           code == Opcode::Detach || code == Opcode::Cancel;
}

bool needs_register(Opcode code) {
    switch (code) {
        case Opcode::Read:
        case Opcode::Choose:
        case Opcode::WriteRegister:
        case Opcode::Set:
        case Opcode::Add:
        case Opcode::JumpIfEqual:
        case Opcode::JumpIfNotEqual:
        case Opcode::AssertEqual:
        case Opcode::AssertNotEqual:
            return true;
        default:
            return false;
    }
}

/// Where a thread is created.
struct Birth {
    int creator = -1;
    int place = -1;
};

class Inspector {
  public:
    explicit Inspector(const Program& program) : program_(program), births_(program.threads.size()) {}

    std::optional<std::string> inspect() {
        if (program_.threads.empty() || program_.threads.size() > max_threads ||
            program_.variables.size() > max_variables) {
            return "too few or too many threads or variables";
        }
        if (std::any_of(program_.semaphores.begin(), program_.semaphores.end(),
                        [](int value) { return value < 0; }) ||
            std::any_of(program_.barriers.begin(), program_.barriers.end(),
                        [](int count) { return count < 1; })) {
            return "a semaphore or a barrier that cannot be made";
        }
        for (thread_ = 0; thread_ < static_cast<int>(program_.threads.size()); ++thread_) {
            inspect_thread();
        }
        for (thread_ = 0; thread_ < static_cast<int>(program_.threads.size()); ++thread_) {
            inspect_references();
        }
        return problem_;
    }

  private:
    [[nodiscard]] const Code& code() const { return program_.threads[static_cast<std::size_t>(thread_)]; }
    [[nodiscard]] const Instruction& at(int place) const { return code()[static_cast<std::size_t>(place)]; }
    [[nodiscard]] int size() const { return static_cast<int>(code().size()); }

    void demand(bool condition, int place, const std::string& text) {
        if (!condition && !problem_) {
            problem_ = 't' + std::to_string(thread_) + ':' + std::to_string(place) + ": " + text;
        }
    }

    void inspect_thread() {
        find_regions();
        for (int place = 0; place < size() && !problem_; ++place) {
            const Instruction& instruction = at(place);
            const OpcodeTraits& row = traits(instruction.code);
            if (row.operand != Operand::None) {
                demand(instruction.object >= 0 && instruction.object < object_count(program_, row.operand),
                       place, "no such object");
            }
            if (row.kind == OpKind::CondWait) {
                demand(instruction.value >= 0 && instruction.value < object_count(program_, Operand::Mutex),
                       place, "no such mutex");
            }
            demand(instruction.reg >= (needs_register(instruction.code) ? 0 : -1) &&
                       instruction.reg < register_count,
                   place, "no such register");
            if (is_jump(instruction.code)) {
                demand(instruction.target >= 0 && instruction.target <= size(), place, "a jump to nowhere");
                inspect_jump(place, instruction.target);
            }
            if (instruction.code == Opcode::Create && !problem_) {
                demand(instruction.object > thread_, place, "a thread created by a later one");
                if (!problem_) {
                    Birth& birth = births_[static_cast<std::size_t>(instruction.object)];
                    demand(birth.creator < 0, place, "a thread created twice");
                    birth = {thread_, place};
                }
            }
        }
    }

    /// Notes for every place the start of the innermost once routine or trusted region around it; the
    /// end of a region lies inside.
    void find_regions() {
        region_.assign(code().size() + 1, -1);
        std::vector<int> open;
        for (int place = 0; place < size(); ++place) {
            region_[static_cast<std::size_t>(place)] = open.empty() ? -1 : open.back();
            const Instruction& instruction = at(place);
            if (instruction.code == Opcode::OnceEnter || instruction.code == Opcode::TrustedBegin) {
                open.push_back(place);
            } else if (instruction.code == Opcode::OnceDone || instruction.code == Opcode::TrustedEnd) {
                demand(!open.empty(), place, "the end of no region");
                if (problem_) {
                    return;
                }
                const Instruction& start = at(open.back());
                const bool fits = instruction.code == Opcode::OnceDone
                                      ? start.code == Opcode::OnceEnter && start.object == instruction.object
                                      : start.code == Opcode::TrustedBegin;
                demand(fits && start.target == place + 1, place, "the end of another region");
                open.pop_back();
            }
        }
        demand(open.empty(), size(), "a region without an end");
    }

    void inspect_jump(int from, int target) {
        if (problem_) {
            return;
        }
        demand(region_[static_cast<std::size_t>(from)] == region_[static_cast<std::size_t>(target)], from,
               "a jump over the edge of a region");
        if (target <= from) {
            demand(at(from).code == Opcode::Jump, from, "a jump back that depends");
            inspect_loop(target, from);
        } else {
            demand(is_break(from) || at(from).code != Opcode::Jump, from, "a jump out of no loop");
            for (int place = from + 1; place < target && !is_break(from); ++place) {
                const bool jumps = is_jump(at(place).code) && !is_break(place);
                demand(!jumps || (at(place).target <= target && at(place).target > from), place,
                       "ifs that overlap");
            }
        }
    }

    /// Whether the jump leaves the innermost loop around it.
    [[nodiscard]] bool is_break(int from) const {
        for (int place = from + 1; place < size(); ++place) {
            if (at(place).code == Opcode::Jump && at(place).target <= from) {
                return at(from).target == place + 1;
            }
        }
        return false;
    }

    void inspect_loop(int head, int jump) {
        int wait = -1;
        for (int place = head; place < jump; ++place) {
            const Instruction& instruction = at(place);
            const bool same_region =
                region_[static_cast<std::size_t>(place)] == region_[static_cast<std::size_t>(jump)];
            demand(instruction.code != Opcode::Create && instruction.code != Opcode::Signal &&
                       instruction.code != Opcode::Broadcast,
                   place, "a loop that creates or wakes");
            const bool waits = instruction.code == Opcode::Wait || instruction.code == Opcode::Yield ||
                               instruction.code == Opcode::Sleep;
            wait = waits && same_region && wait < 0 ? place : wait;
            demand(
                !is_jump(instruction.code) || (instruction.target > head && instruction.target <= jump + 1),
                place, "a loop that overlaps something");
        }
        demand(wait >= 0, jump, "a loop without a wait");
        for (int place = 0; place < wait && !problem_; ++place) {
            if (is_jump(at(place).code)) {
                const int target = at(place).target;
                demand(target <= (place < head ? head : wait) || target > jump, place,
                       "a jump around the wait of a loop");
            }
        }
    }

    void inspect_references() {
        for (int place = 0; place < size(); ++place) {
            if (refers_to_thread(at(place).code)) {
                demand(may_refer_to(at(place).object), place, "a thread it cannot know");
            }
        }
    }

    [[nodiscard]] bool may_refer_to(int target) const {
        const Birth& birth = births_[static_cast<std::size_t>(target)];
        if (target == thread_ || target == 0 || birth.creator < 0) {
            return true;
        }
        // Up from the thread to the creator of the target, remembering where the branch down began.
        int before = -1;
        for (int ancestor = thread_; ancestor >= 0;) {
            if (ancestor == birth.creator) {
                return before < 0 || birth.place < before;
            }
            const Birth& own = births_[static_cast<std::size_t>(ancestor)];
            before = own.place;
            ancestor = own.creator;
        }
        return false;
    }

    const Program& program_;
    std::vector<Birth> births_;
    std::vector<int> region_;
    int thread_ = 0;
    std::optional<std::string> problem_;
};

}  // namespace

std::optional<std::string> problem(const Program& program) { return Inspector(program).inspect(); }

}  // namespace coopcheck::testing
