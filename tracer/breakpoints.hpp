#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "tracer/hooks.hpp"
#include "tracer/modules.hpp"
#include "tracer/target_memory.hpp"
#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

/// A breakpoint on the first instruction of a function.
struct Breakpoint {
    const Hook* hook = nullptr;
    /// The byte that the breakpoint stands on.
    std::byte original{};
    /// Where the function's own code can be entered without the breakpoint: a copy of its first instruction
    /// in the scratch page. null_address if that instruction cannot be moved; then it has to be stepped over.
    RemoteAddress native{};
};

/// The breakpoints of one target. The bytes live in the target and are copied with it; this is what they
/// mean. A plain value.
class Breakpoints {
  public:
    /// For which functions there are copies of the first instruction: there is not room for any number.
    enum class Copies : std::uint8_t {
        WhereNeeded,  ///< those whose own code runs in a controlled run
        Everywhere,
        Nowhere,
    };
    explicit Breakpoints(Copies copies = Copies::WhereNeeded) : copies_(copies) {}

    /// Puts a breakpoint on every function of `modules` that all_hooks() names and that has none yet.
    void install(const TargetMemory& memory, const Modules& modules);
    void install(const TargetMemory& memory, RemoteAddress address, const Hook& hook);
    void remove(const TargetMemory& memory, RemoteAddress address);
    /// Executable memory for copies of instructions that are no functions (CallUse::Access). One that finds
    /// its data relative to its own place can be moved 2 GB at most, so every part of the program has room
    /// near it.
    void add_room(RemoteAddress start, std::uint64_t size);
    [[nodiscard]] bool has_room() const { return !rooms_.empty(); }
    /// Where the instruction is whose copy is at this address; nothing if that is no copy.
    [[nodiscard]] std::optional<RemoteAddress> original_of(RemoteAddress copy) const;
    /// From a copy of the target that is not ours: what is known here stays.
    void remove_all(const TargetMemory& memory) const;

    [[nodiscard]] const Breakpoint* find(RemoteAddress address) const {
        const auto found = all_.find(number(address));
        return found == all_.end() ? nullptr : &found->second;
    }

  private:
    struct Room {
        RemoteAddress start{};
        std::uint64_t capacity = 0;
        std::uint64_t used = 0;
    };
    [[nodiscard]] RemoteAddress copy_near(const TargetMemory& memory, std::span<const std::byte> code,
                                          RemoteAddress address);

    Copies copies_;
    std::unordered_map<std::uint64_t, Breakpoint> all_;
    std::uint64_t trampolines_used_ = 0;
    std::vector<Room> rooms_;
};

}  // namespace coopcheck::tracer
