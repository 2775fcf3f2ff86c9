#include "tests/support/brute_force.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <string_view>

namespace coopcheck::testing {

std::size_t BruteForce::Hash::operator()(const ProgramState& state) const noexcept {
    return std::hash<std::string_view>{}({reinterpret_cast<const char*>(&state), sizeof state});
}

BruteForce::BruteForce(const Program& program, ModelOptions options)
    : BruteForce(program, options, Limits{}) {}

BruteForce::BruteForce(const Program& program, ModelOptions options, Limits limits) {
    ProgramStates states(program, options);
    explore(states, limits);
}

std::uint32_t BruteForce::ending_number(const Ending& ending) {
    // The categories never have a text in common: an assertion names a place, a deadlock begins with a word
    // of its own.
    const auto [position, is_new] =
        ending_numbers_.try_emplace(ending.text, static_cast<std::uint32_t>(endings_.size()));
    if (is_new) {
        endings_.push_back(ending);
    }
    return position->second;
}

std::uint32_t BruteForce::state_number(const ProgramState& state) {
    const auto [position, is_new] = numbers_.try_emplace(state, static_cast<std::uint32_t>(states_.size()));
    if (is_new) {
        states_.push_back(&position->first);
    }
    return position->second;
}

void BruteForce::explore(ProgramStates& program, Limits limits) {
    state_number(program.start());
    std::vector<Transition> transitions;
    std::vector<Ending> deadlocks;
    while (nodes_.size() < states_.size()) {
        if (states_.size() > limits.states) {
            return;
        }
        const ProgramState& state = *states_[nodes_.size()];
        Node node;
        node.enabled = program.enabled(state);
        node.first_deadlock = static_cast<std::uint32_t>(deadlocks_.size());
        program.deadlocks(state, deadlocks);
        for (const Ending& deadlock : deadlocks) {
            deadlocks_.push_back(ending_number(deadlock));
        }
        node.deadlock_end = static_cast<std::uint32_t>(deadlocks_.size());
        node.first_edge = static_cast<std::uint32_t>(edges_.size());
        program.transitions(state, transitions);
        for (const Transition& transition : transitions) {
            Edge edge;
            edge.thread = static_cast<std::uint8_t>(transition.thread);
            edge.last = transition.gives_way ? nobody : edge.thread;
            (transition.ending ? edge.ending : edge.target) =
                transition.ending ? ending_number(*transition.ending) : state_number(transition.next);
            edges_.push_back(edge);
        }
        node.edge_end = static_cast<std::uint32_t>(edges_.size());
        nodes_.push_back(node);
    }
    complete_ = true;
}

Outcomes BruteForce::outcomes() const {
    Outcomes all;
    for (const Ending& ending : endings_) {
        (all.*ending.category).insert(ending.text);
    }
    return all;
}

std::vector<Outcomes> BruteForce::outcomes_within(unsigned bound) const {
    constexpr unsigned never = std::numeric_limits<unsigned>::max();
    constexpr std::size_t lasts = max_threads + 1;
    std::vector<unsigned> ending_cost(endings_.size(), nodes_.empty() ? 0 : never);
    const auto reach = [&](std::uint32_t ending, unsigned cost) {
        ending_cost[ending] = std::min(ending_cost[ending], cost);
    };

    // Shortest paths where a preemption costs 1 and everything else nothing, over pairs of a state and the
    // last thread.
    std::vector<unsigned> costs(nodes_.size() * lasts, never);
    std::deque<std::size_t> queue;
    if (!nodes_.empty()) {
        costs[nobody] = 0;
        queue.push_back(nobody);
    }
    while (!queue.empty()) {
        const std::size_t pair = queue.front();
        queue.pop_front();
        const Node& node = nodes_[pair / lasts];
        const std::size_t last = pair % lasts;
        const unsigned cost = costs[pair];
        if (cost > bound) {
            continue;
        }
        for (std::uint32_t index = node.first_deadlock; index < node.deadlock_end; ++index) {
            reach(deadlocks_[index], cost);
        }
        const bool could_go_on = last != nobody && ((node.enabled >> last) & 1U) != 0;
        for (std::uint32_t index = node.first_edge; index < node.edge_end; ++index) {
            const Edge& edge = edges_[index];
            const bool preempts = could_go_on && edge.thread != last;
            const unsigned new_cost = cost + (preempts ? 1 : 0);
            if (edge.ending != none) {
                reach(edge.ending, new_cost);
                continue;
            }
            if (edge.target >= nodes_.size()) {
                continue;  // beyond the limit
            }
            const std::size_t next = edge.target * lasts + edge.last;
            if (new_cost < costs[next]) {
                costs[next] = new_cost;
                if (preempts) {
                    queue.push_back(next);
                } else {
                    queue.push_front(next);
                }
            }
        }
    }

    std::vector<Outcomes> within(bound + 1);
    for (std::size_t ending = 0; ending < endings_.size(); ++ending) {
        for (unsigned allowed = ending_cost[ending]; allowed <= bound; ++allowed) {
            (within[allowed].*endings_[ending].category).insert(endings_[ending].text);
        }
    }
    return within;
}

}  // namespace coopcheck::testing
