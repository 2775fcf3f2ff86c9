#pragma once

#include <sys/user.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tracer/target_memory.hpp"
#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

/// Memory that an instruction reads, writes, or both.
struct MemoryTouch {
    RemoteAddress address{};
    std::uint64_t size = 0;
    bool reads = false;
    bool writes = false;

    friend bool operator==(const MemoryTouch&, const MemoryTouch&) = default;
};

/// How an instruction says where its memory is: an address, or how far it is from one in a register.
struct OperandForm {
    enum class Base : std::uint8_t { Register, Nothing };
    Base base = Base::Register;
    std::uint64_t value = 0;
    std::uint64_t size = 0;

    friend auto operator<=>(const OperandForm&, const OperandForm&) = default;
};

/// One instruction of the target, decoded. A plain value, shared by all that look at it.
class Instruction {
  public:
    /// Nothing if these bytes, which start with it, are no instruction.
    [[nodiscard]] static std::shared_ptr<const Instruction> decode(std::span<const std::byte> code);

    ~Instruction();
    Instruction(const Instruction&) = delete;
    Instruction& operator=(const Instruction&) = delete;

    [[nodiscard]] std::size_t length() const;
    /// As an assembler writes it; addresses that it is relative to are left as they are.
    [[nodiscard]] std::string text() const;
    /// What it will touch with these registers, reads before writes. A repeated one (rep) touches as much as
    /// its count says; one that stops early (repe, repne) at most that.
    [[nodiscard]] std::vector<MemoryTouch> touches(const user_regs_struct& registers) const;
    /// What it has touched: for those that may stop early. `after` are the registers when it was done.
    [[nodiscard]] std::vector<MemoryTouch> touched(const user_regs_struct& before,
                                                   const user_regs_struct& after) const;
    /// Of the memory that it names, if it is at this place.
    [[nodiscard]] std::vector<OperandForm> forms(RemoteAddress place) const;
    /// Lock-prefixed, or xchg, which locks by itself.
    [[nodiscard]] bool is_atomic() const;
    /// Has a rep prefix: a single step makes one turn of it.
    [[nodiscard]] bool repeats() const;
    /// Goes on somewhere else: a jump, a call, a return.
    [[nodiscard]] bool is_branch() const;
    /// Makes a system call.
    [[nodiscard]] bool is_system_call() const;
    /// Compares or looks for bytes with vector registers, which may read beyond what it was asked about.
    [[nodiscard]] bool compares_vectors() const;
    /// Where it touches memory stands in a vector register (gather, scatter) or is known to the processor
    /// alone: touches() does not say all.
    [[nodiscard]] bool is_obscure() const;

  private:
    struct Decoded;
    explicit Instruction(std::unique_ptr<const Decoded> decoded);
    [[nodiscard]] std::vector<MemoryTouch> touches(const user_regs_struct& registers,
                                                   std::uint64_t turns) const;
    std::unique_ptr<const Decoded> decoded_;
};

/// Those instructions of a function, whose code begins at `start`, that name memory in a way in which one of
/// the `known` does (members of the same structure, the same variable), and the atomic ones. They may access
/// the same memory.
[[nodiscard]] std::vector<std::uint64_t> similar_instructions(std::span<const std::byte> code,
                                                              std::uint64_t start,
                                                              const std::unordered_set<std::uint64_t>& known);

/// Instructions by their addresses, each decoded once. To be cleared when other code is loaded.
class Instructions {
  public:
    /// Nothing if there is no instruction.
    [[nodiscard]] std::shared_ptr<const Instruction> at(RemoteAddress address, const TargetMemory& memory);
    void clear() { known_.clear(); }

  private:
    std::unordered_map<std::uint64_t, std::shared_ptr<const Instruction>> known_;
};

}  // namespace coopcheck::tracer
