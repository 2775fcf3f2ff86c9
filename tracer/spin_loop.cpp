#include "tracer/spin_loop.hpp"

#include <Zydis/Zydis.h>

#include <array>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "tracer/ptrace.hpp"

namespace coopcheck::tracer {

namespace {

/// A loop that waits is short; what is longer is work.
constexpr std::size_t longest_loop = 5'000;
constexpr std::size_t longest_instruction = 15;
constexpr std::size_t largest_operand = 64;

struct Instruction {
    ZydisDecodedInstruction decoded{};
    std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands{};
};

/// Memory that an instruction writes, with what is in it.
struct Written {
    RemoteAddress address{};
    std::vector<std::byte> content;
};

std::uint64_t value_of(const user_regs_struct& registers, ZydisRegister which) {
    switch (ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, which)) {
        case ZYDIS_REGISTER_RAX:
            return registers.rax;
        case ZYDIS_REGISTER_RBX:
            return registers.rbx;
        case ZYDIS_REGISTER_RCX:
            return registers.rcx;
        case ZYDIS_REGISTER_RDX:
            return registers.rdx;
        case ZYDIS_REGISTER_RSI:
            return registers.rsi;
        case ZYDIS_REGISTER_RDI:
            return registers.rdi;
        case ZYDIS_REGISTER_RBP:
            return registers.rbp;
        case ZYDIS_REGISTER_RSP:
            return registers.rsp;
        case ZYDIS_REGISTER_R8:
            return registers.r8;
        case ZYDIS_REGISTER_R9:
            return registers.r9;
        case ZYDIS_REGISTER_R10:
            return registers.r10;
        case ZYDIS_REGISTER_R11:
            return registers.r11;
        case ZYDIS_REGISTER_R12:
            return registers.r12;
        case ZYDIS_REGISTER_R13:
            return registers.r13;
        case ZYDIS_REGISTER_R14:
            return registers.r14;
        case ZYDIS_REGISTER_R15:
            return registers.r15;
        default:
            return 0;
    }
}

RemoteAddress address_of(const ZydisDecodedOperand& operand, const Instruction& instruction,
                         const user_regs_struct& registers) {
    const auto& memory = operand.mem;
    std::uint64_t address = memory.base == ZYDIS_REGISTER_RIP ? registers.rip + instruction.decoded.length
                                                              : value_of(registers, memory.base);
    address += value_of(registers, memory.index) * memory.scale;
    if (memory.disp.has_displacement) address += static_cast<std::uint64_t>(memory.disp.value);
    if (memory.segment == ZYDIS_REGISTER_FS) address += registers.fs_base;
    if (memory.segment == ZYDIS_REGISTER_GS) address += registers.gs_base;
    return RemoteAddress{address};
}

bool same_registers(user_regs_struct left, user_regs_struct right) {
    // Flags that say how the instruction before came out are part of the state; the step's own are not.
    constexpr std::uint64_t trap_and_resume = 0x10100;
    left.eflags &= ~trap_and_resume;
    right.eflags &= ~trap_and_resume;
    left.orig_rax = right.orig_rax = 0;
    return std::memcmp(&left, &right, sizeof left) == 0;
}

class Examiner {
  public:
    Examiner(ChildProcess& process, const TargetMemory& memory,
             const std::function<bool(RemoteAddress)>& is_operation)
        : process_(process), memory_(memory), is_operation_(is_operation) {
        ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    }

    LoopExamination run() {
        LoopExamination result;
        const auto start = ptrace::get_registers(process_.id());
        if (!start) return result;
        registers_ = start.value();
        const user_regs_struct anchor = registers_;
        // Once round, to come to where everything a turn writes has been written before; then a turn that
        // must change nothing.
        if (turn(anchor.rip) && same_registers(registers_, anchor)) {
            is_checking_ = true;
            visited_.clear();
            if (turn(anchor.rip) && same_registers(registers_, anchor) && !has_changed_) result.head = head();
        }
        result.other_stop = other_stop_;
        return result;
    }

  private:
    /// Steps until the thread is at `place` again.
    bool turn(std::uint64_t place) {
        for (std::size_t count = 0; count < longest_loop; ++count) {
            if (!step()) return false;
            if (registers_.rip == place) return true;
        }
        return false;
    }

    bool step() {
        const RemoteAddress here{registers_.rip};
        Instruction instruction;
        std::array<std::byte, longest_instruction> code{};
        if (is_operation_(here) || memory_.read(here, code) ||
            !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder_, code.data(), code.size(), &instruction.decoded,
                                                 instruction.operands.data())) ||
            instruction.decoded.mnemonic == ZYDIS_MNEMONIC_SYSCALL) {
            return false;
        }
        std::vector<Written> written;
        if (is_checking_) {
            visited_.emplace_back(registers_.rsp, registers_.rip);
            written = what_it_writes(instruction);
        }
        if (ptrace::single_step(process_.id())) return false;
        const WaitStatus status = process_.wait();
        const auto after =
            is_end(status) ? ptrace::get_registers(ProcessId{0}) : ptrace::get_registers(process_.id());
        if (status != WaitStatus(Stopped{SIGTRAP}) || !after) {
            other_stop_ = status;
            return false;
        }
        registers_ = after.value();
        for (const Written& before : written) {
            std::vector<std::byte> now(before.content.size());
            has_changed_ = has_changed_ || memory_.read(before.address, now) || now != before.content;
        }
        return true;
    }

    std::vector<Written> what_it_writes(const Instruction& instruction) {
        std::vector<Written> written;
        for (std::size_t i = 0; i < instruction.decoded.operand_count; ++i) {
            const ZydisDecodedOperand& operand = instruction.operands[i];
            const bool writes = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
            if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || !writes) continue;
            if (operand.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN) {
                // What a push or a call writes lies below the stack pointer of the loop; a string instruction
                // is work.
                const ZydisMnemonic mnemonic = instruction.decoded.mnemonic;
                has_changed_ =
                    has_changed_ || (mnemonic != ZYDIS_MNEMONIC_PUSH && mnemonic != ZYDIS_MNEMONIC_CALL);
                continue;
            }
            Written place{address_of(operand, instruction, registers_),
                          std::vector<std::byte>(operand.size / 8)};
            if (place.content.size() > largest_operand || memory_.read(place.address, place.content)) {
                has_changed_ = true;
            }
            written.push_back(std::move(place));
        }
        return written;
    }

    [[nodiscard]] RemoteAddress head() const {
        // The stack grows down: the outermost function has the highest stack pointer.
        std::pair<std::uint64_t, std::uint64_t> best = visited_.front();
        for (const auto& [stack, place] : visited_) {
            if (stack > best.first || (stack == best.first && place < best.second)) best = {stack, place};
        }
        return RemoteAddress{best.second};
    }

    ChildProcess& process_;
    const TargetMemory& memory_;
    const std::function<bool(RemoteAddress)>& is_operation_;
    ZydisDecoder decoder_{};
    user_regs_struct registers_{};
    bool is_checking_ = false;
    bool has_changed_ = false;
    /// Stack pointer and instruction pointer of each step of the turn.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> visited_;
    std::optional<WaitStatus> other_stop_;
};

}  // namespace

LoopExamination examine_loop(ChildProcess& process, const TargetMemory& memory,
                             const std::function<bool(RemoteAddress)>& is_operation) {
    return Examiner(process, memory, is_operation).run();
}

}  // namespace coopcheck::tracer
