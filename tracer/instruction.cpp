#include "tracer/instruction.hpp"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace coopcheck::tracer {

struct Instruction::Decoded {
    ZydisDecodedInstruction instruction{};
    std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands{};
};

namespace {

constexpr std::size_t longest_instruction = 15;

std::uint64_t whole_register(const user_regs_struct& registers, ZydisRegister which) {
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

std::uint64_t value_of(const user_regs_struct& registers, ZydisRegister which) {
    const std::uint64_t whole = whole_register(registers, which);
    const unsigned bits = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, which);
    return bits >= 64 || bits == 0 ? whole : whole & ((std::uint64_t{1} << bits) - 1);
}

bool is_bit_test(ZydisMnemonic mnemonic) {
    return mnemonic == ZYDIS_MNEMONIC_BT || mnemonic == ZYDIS_MNEMONIC_BTS ||
           mnemonic == ZYDIS_MNEMONIC_BTR || mnemonic == ZYDIS_MNEMONIC_BTC;
}

/// A memory operand that is only an address to it: nothing is read.
bool touches_nothing(const ZydisDecodedInstruction& instruction) {
    return instruction.meta.category == ZYDIS_CATEGORY_PREFETCH ||
           instruction.meta.category == ZYDIS_CATEGORY_WIDENOP ||
           instruction.meta.category == ZYDIS_CATEGORY_NOP;
}

/// Pushes something: what Zydis calls [rsp] is written below it.
bool is_push(const ZydisDecodedOperand& operand) {
    const bool writes = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    return operand.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN && operand.mem.base == ZYDIS_REGISTER_RSP &&
           writes;
}

std::uint64_t address_of(const ZydisDecodedOperand& operand, const ZydisDecodedInstruction& instruction,
                         std::span<const ZydisDecodedOperand> operands, const user_regs_struct& registers) {
    const auto& memory = operand.mem;
    const std::uint64_t bytes = operand.size / 8;
    std::uint64_t address = memory.base == ZYDIS_REGISTER_RIP ? registers.rip + instruction.length
                                                              : value_of(registers, memory.base);
    address += value_of(registers, memory.index) * memory.scale;
    if (memory.disp.has_displacement) address += static_cast<std::uint64_t>(memory.disp.value);
    if (instruction.address_width == 32) address &= 0xffffffffU;
    if (memory.segment == ZYDIS_REGISTER_FS) address += registers.fs_base;
    if (memory.segment == ZYDIS_REGISTER_GS) address += registers.gs_base;
    if (is_push(operand)) address -= bytes;
    const bool is_explicit = operand.visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT;
    if (instruction.mnemonic == ZYDIS_MNEMONIC_POP && is_explicit && memory.base == ZYDIS_REGISTER_RSP)
        address += bytes;  // rsp has been moved already
    if (is_bit_test(instruction.mnemonic) && operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER && bytes != 0) {
        // The bit may lie anywhere before or behind the operand.
        auto bit = static_cast<std::int64_t>(value_of(registers, operands[1].reg.value));
        if (operand.size == 32) bit = static_cast<std::int32_t>(bit);
        if (operand.size == 16) bit = static_cast<std::int16_t>(bit);
        const auto width = static_cast<std::int64_t>(operand.size);
        const std::int64_t words = bit >= 0 ? bit / width : -((-bit + width - 1) / width);
        address += static_cast<std::uint64_t>(words * static_cast<std::int64_t>(bytes));
    }
    return address;
}

}  // namespace

Instruction::Instruction(std::unique_ptr<const Decoded> decoded) : decoded_(std::move(decoded)) {}
Instruction::~Instruction() = default;

std::shared_ptr<const Instruction> Instruction::decode(std::span<const std::byte> code) {
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    auto decoded = std::make_unique<Decoded>();
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data(), code.size(), &decoded->instruction,
                                             decoded->operands.data()))) {
        return nullptr;
    }
    return std::shared_ptr<const Instruction>(new Instruction(std::move(decoded)));
}

std::string Instruction::text() const {
    ZydisFormatter formatter;
    std::array<char, 128> text{};
    const bool made = ZYAN_SUCCESS(ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL)) &&
                      ZYAN_SUCCESS(ZydisFormatterFormatInstruction(
                          &formatter, &decoded_->instruction, decoded_->operands.data(),
                          decoded_->instruction.operand_count_visible, text.data(), text.size(),
                          ZYDIS_RUNTIME_ADDRESS_NONE, nullptr));
    return made ? text.data() : "";
}

std::size_t Instruction::length() const { return decoded_->instruction.length; }

std::vector<OperandForm> Instruction::forms(RemoteAddress place) const {
    std::vector<OperandForm> forms;
    const ZydisDecodedInstruction& instruction = decoded_->instruction;
    if (touches_nothing(instruction)) return forms;
    for (std::size_t nth = 0; nth < instruction.operand_count_visible; ++nth) {
        const ZydisDecodedOperand& operand = decoded_->operands[nth];
        const bool is_access = operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.actions != 0 &&
                               operand.mem.type != ZYDIS_MEMOP_TYPE_AGEN;
        if (!is_access) continue;
        const bool is_address = operand.mem.base == ZYDIS_REGISTER_RIP;
        const auto displacement = static_cast<std::uint64_t>(operand.mem.disp.value);
        forms.push_back({is_address ? OperandForm::Base::Nothing : OperandForm::Base::Register,
                         is_address ? number(place) + length() + displacement : displacement,
                         static_cast<std::uint64_t>(operand.size / 8)});
    }
    return forms;
}

std::vector<std::uint64_t> similar_instructions(std::span<const std::byte> code, std::uint64_t start,
                                                const std::unordered_set<std::uint64_t>& known) {
    std::vector<std::pair<OperandForm, std::uint64_t>> all;
    std::vector<std::uint64_t> atomic;
    std::set<OperandForm> wanted;
    for (std::size_t at = 0; at < code.size();) {
        const auto instruction = Instruction::decode(code.subspan(at));
        if (!instruction) break;
        const std::uint64_t place = start + at;
        if (instruction->is_atomic()) atomic.push_back(place);
        for (const OperandForm& form : instruction->forms(RemoteAddress{place})) {
            all.emplace_back(form, place);
            if (known.contains(place)) wanted.insert(form);
        }
        at += instruction->length();
    }
    if (wanted.empty()) return {};
    std::vector<std::uint64_t> similar = std::move(atomic);
    for (const auto& [form, place] : all) {
        if (wanted.contains(form)) similar.push_back(place);
    }
    return similar;
}

bool Instruction::is_atomic() const {
    const ZydisDecodedInstruction& instruction = decoded_->instruction;
    if ((instruction.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0) return true;
    return instruction.mnemonic == ZYDIS_MNEMONIC_XCHG &&
           std::any_of(
               decoded_->operands.begin(), decoded_->operands.begin() + instruction.operand_count,
               [](const ZydisDecodedOperand& operand) { return operand.type == ZYDIS_OPERAND_TYPE_MEMORY; });
}

bool Instruction::repeats() const {
    constexpr auto any_rep = ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
    return (decoded_->instruction.attributes & any_rep) != 0;
}

bool Instruction::is_branch() const {
    switch (decoded_->instruction.meta.category) {
        case ZYDIS_CATEGORY_CALL:
        case ZYDIS_CATEGORY_RET:
        case ZYDIS_CATEGORY_UNCOND_BR:
        case ZYDIS_CATEGORY_COND_BR:
            return true;
        default:
            return false;
    }
}

bool Instruction::is_system_call() const { return decoded_->instruction.mnemonic == ZYDIS_MNEMONIC_SYSCALL; }

bool Instruction::compares_vectors() const {
    switch (decoded_->instruction.mnemonic) {
        case ZYDIS_MNEMONIC_PCMPEQB:
        case ZYDIS_MNEMONIC_PCMPEQW:
        case ZYDIS_MNEMONIC_PCMPEQD:
        case ZYDIS_MNEMONIC_VPCMPEQB:
        case ZYDIS_MNEMONIC_VPCMPEQW:
        case ZYDIS_MNEMONIC_VPCMPEQD:
        case ZYDIS_MNEMONIC_VPCMPB:
        case ZYDIS_MNEMONIC_VPCMPUB:
        case ZYDIS_MNEMONIC_VPCMPD:
        case ZYDIS_MNEMONIC_VPCMPUD:
        case ZYDIS_MNEMONIC_PMINUB:
        case ZYDIS_MNEMONIC_VPMINUB:
        case ZYDIS_MNEMONIC_VPMINUD:
        case ZYDIS_MNEMONIC_VPTESTNMB:
        case ZYDIS_MNEMONIC_VPTESTNMD:
        case ZYDIS_MNEMONIC_VPTESTMB:
        case ZYDIS_MNEMONIC_VPTESTMD:
        case ZYDIS_MNEMONIC_VPTERNLOGD:
        case ZYDIS_MNEMONIC_PSUBB:
        case ZYDIS_MNEMONIC_PCMPISTRI:
            return true;
        default:
            return false;
    }
}

bool Instruction::is_obscure() const {
    const ZydisDecodedInstruction& instruction = decoded_->instruction;
    for (std::size_t nth = 0; nth < instruction.operand_count; ++nth) {
        const ZydisDecodedOperand& operand = decoded_->operands[nth];
        if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY) continue;
        if (operand.mem.type == ZYDIS_MEMOP_TYPE_VSIB) return true;
        if (operand.mem.type == ZYDIS_MEMOP_TYPE_MEM && operand.size == 0 && !touches_nothing(instruction))
            return true;
    }
    return false;
}

std::vector<MemoryTouch> Instruction::touches(const user_regs_struct& registers, std::uint64_t turns) const {
    constexpr std::uint64_t direction_flag = 0x400;
    std::vector<MemoryTouch> all;
    const ZydisDecodedInstruction& instruction = decoded_->instruction;
    if (touches_nothing(instruction) || turns == 0) return all;
    for (std::size_t nth = 0; nth < instruction.operand_count; ++nth) {
        const ZydisDecodedOperand& operand = decoded_->operands[nth];
        if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || operand.mem.type != ZYDIS_MEMOP_TYPE_MEM ||
            operand.size == 0) {
            continue;
        }
        MemoryTouch touch;
        const std::uint64_t size = operand.size / 8;
        std::uint64_t address = address_of(operand, instruction, decoded_->operands, registers);
        if ((registers.eflags & direction_flag) != 0 && repeats()) address -= (turns - 1) * size;
        touch.address = RemoteAddress{address};
        touch.size = size * turns;
        touch.reads = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
        touch.writes = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
        all.push_back(touch);
    }
    std::stable_sort(all.begin(), all.end(), [](const MemoryTouch& left, const MemoryTouch& right) {
        return !left.writes && right.writes;
    });
    return all;
}

std::vector<MemoryTouch> Instruction::touches(const user_regs_struct& registers) const {
    return touches(registers, repeats() ? registers.rcx : 1);
}

std::vector<MemoryTouch> Instruction::touched(const user_regs_struct& before,
                                              const user_regs_struct& after) const {
    return touches(before, repeats() ? before.rcx - after.rcx : 1);
}

std::shared_ptr<const Instruction> Instructions::at(RemoteAddress address, const TargetMemory& memory) {
    const auto known = known_.find(number(address));
    if (known != known_.end()) return known->second;
    std::array<std::byte, longest_instruction> code{};
    // An instruction at the end of the last page of code is shorter.
    std::size_t size = code.size();
    constexpr std::uint64_t page = 4096;
    if (memory.read(address, code)) {
        size = std::min<std::size_t>(size, page - number(address) % page);
        if (memory.read(address, std::span(code).first(size))) return nullptr;
    }
    auto instruction = Instruction::decode(std::span(code).first(size));
    if (instruction) known_.emplace(number(address), instruction);
    return instruction;
}

}  // namespace coopcheck::tracer
