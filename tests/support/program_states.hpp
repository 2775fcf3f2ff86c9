#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "core/sync_model.hpp"
#include "tests/support/outcomes.hpp"
#include "tests/support/program.hpp"

namespace coopcheck::testing {

/// A state of a program, complete and comparable byte by byte.
struct ProgramState {
    enum class Phase : std::uint8_t {
        Unborn,
        Start,     ///< parked at ThreadStart
        At,        ///< parked at the instruction
        Half,      ///< parked at the second half of the instruction
        Aborting,  ///< cancelled, parked before it leaves the once routine that begins at the instruction
        Failing,   ///< parked at Failure: the assertion at the instruction does not hold
        Exit,      ///< parked at ThreadExit
        Gone,
    };
    struct Thread {
        std::array<std::int32_t, register_count> registers;
        std::int16_t place;
        Phase phase;
        std::uint8_t parent;
        std::uint8_t nth;  ///< which child of its parent
        std::uint8_t children;
        std::uint16_t unused;

        friend bool operator==(const Thread&, const Thread&) = default;
    };

    std::uint32_t model;  ///< a number that the ProgramStates gave the SyncModel
    std::array<Thread, max_threads> threads;
    std::array<std::int32_t, max_variables> variables;

    friend bool operator==(const ProgramState&, const ProgramState&) = default;
};
static_assert(std::has_unique_object_representations_v<ProgramState>);

/// One way a run can come to an end, or get stuck.
struct Ending {
    std::set<std::string> Outcomes::*category = nullptr;
    std::string text;
};

/// One step out of a state.
struct Transition {
    int thread = 0;
    /// The thread offered to let others run (Yield, Sleep), or has ended.
    bool gives_way = false;
    ProgramState next{};
    std::optional<Ending> ending;
};

/// The states and steps of a program: an interpreter of the bytecode that shares nothing with the one on
/// fibers but SyncModel. Every operation is a step, reads and writes of variables included.
class ProgramStates {
  public:
    ProgramStates(const Program& program, ModelOptions options);

    /// main before its first operation.
    ProgramState start();
    /// All steps possible, timeouts fired late included (if they are not explored: when no thread is
    /// enabled).
    void transitions(const ProgramState& state, std::vector<Transition>& result);
    /// One bit per thread whose operation is enabled.
    [[nodiscard]] std::uint8_t enabled(const ProgramState& state) const;
    /// The deadlocks in the state: nobody can ever go on, and every cycle.
    void deadlocks(const ProgramState& state, std::vector<Ending>& result) const;

  private:
    using Phase = ProgramState::Phase;
    static constexpr int none = -1;

    [[nodiscard]] const SyncModel& model_of(const ProgramState& state) const { return *models_[state.model]; }
    std::uint32_t number_of(const SyncModel& model);
    [[nodiscard]] ObjectId id_of(Operand operand, int index) const;
    void declare(Operand operand, int index, const ObjectInit& how, SyncModel& model);
    [[nodiscard]] const std::vector<Instruction>& code(int thread) const;
    [[nodiscard]] const Instruction& instruction(const ProgramState& state, int thread) const;
    [[nodiscard]] bool live(const ProgramState& state, int thread) const;
    [[nodiscard]] std::string thread_name(const ProgramState& state, int thread) const;
    [[nodiscard]] std::string target_name(const ProgramState& state, const Operation& operation) const;
    [[nodiscard]] Operation pending(const ProgramState& state, int thread) const;
    [[nodiscard]] Operation first_half(const Instruction& instruction) const;
    void add_step(const ProgramState& state, int thread, const Operation& operation, Variant variant,
                  std::vector<Transition>& result);
    std::optional<Ending> step(ProgramState& state, SyncModel& model, int thread, Operation operation,
                               Variant variant);
    std::optional<Ending> complete(ProgramState& state, int thread, const Operation& operation,
                                   const Outcome& outcome);
    void run_local(ProgramState& state, int thread) const;
    void unwind(ProgramState& state, int thread) const;
    [[nodiscard]] std::optional<Ending> all_ended(const ProgramState& state) const;
    void find_cycles(const ProgramState& state, std::vector<int>& path, std::vector<Ending>& result) const;
    [[nodiscard]] BlockedThread blocked(const ProgramState& state, int thread) const;

    Program program_;
    SyncModel first_model_;
    std::vector<std::string> object_names_;
    std::array<std::uint32_t, 10> first_id_{};  // by Operand
    std::unordered_map<SyncModel, std::uint32_t> model_numbers_;
    std::vector<const SyncModel*> models_;
    SyncModel scratch_;
};

}  // namespace coopcheck::testing
