#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/sync_model.hpp"
#include "tests/support/outcomes.hpp"
#include "tests/support/program.hpp"
#include "tests/support/program_states.hpp"

namespace coopcheck::testing {

/// Everything a program can do, by going through the graph of all its states without any reduction: what a
/// search is compared with. Every operation is a scheduling point, reads and writes of variables included.
class BruteForce {
  public:
    struct Limits {
        std::size_t states = 200'000;
    };

    explicit BruteForce(const Program& program, ModelOptions options = {});
    BruteForce(const Program& program, ModelOptions options, Limits limits);

    /// False if the limit was reached: then the outcomes are only some of them.
    [[nodiscard]] bool complete() const { return complete_; }
    [[nodiscard]] std::size_t states() const { return states_.size(); }
    [[nodiscard]] std::size_t transitions() const { return edges_.size(); }

    [[nodiscard]] Outcomes outcomes() const;
    /// Element b is what schedules with at most b preemptions lead to, for b from 0 to `bound`. A preemption
    /// is a switch away from a thread that is enabled and did not just yield or sleep.
    [[nodiscard]] std::vector<Outcomes> outcomes_within(unsigned bound) const;

  private:
    static constexpr std::uint32_t none = 0xffffffff;
    /// The last thread has ended or given way: whoever runs next, nobody is preempted.
    static constexpr std::uint8_t nobody = max_threads;

    struct Edge {
        std::uint32_t target = none;
        std::uint32_t ending = none;
        std::uint8_t thread = 0;
        std::uint8_t last = 0;  ///< the thread that could be preempted after it, or nobody
    };
    struct Node {
        std::uint32_t first_edge = 0;
        std::uint32_t edge_end = 0;
        std::uint32_t first_deadlock = 0;
        std::uint32_t deadlock_end = 0;
        std::uint8_t enabled = 0;
    };
    struct Hash {
        std::size_t operator()(const ProgramState& state) const noexcept;
    };

    void explore(ProgramStates& program, Limits limits);
    std::uint32_t ending_number(const Ending& ending);
    std::uint32_t state_number(const ProgramState& state);

    bool complete_ = false;
    std::unordered_map<ProgramState, std::uint32_t, Hash> numbers_;
    std::vector<const ProgramState*> states_;
    std::vector<Node> nodes_;
    std::vector<Edge> edges_;
    std::vector<std::uint32_t> deadlocks_;  ///< endings, in ranges that the nodes know
    std::vector<Ending> endings_;
    std::unordered_map<std::string, std::uint32_t> ending_numbers_;
};

}  // namespace coopcheck::testing
