// The deadlocks in a state of a program.
#include <algorithm>

#include "tests/support/program_states.hpp"

namespace coopcheck::testing {

namespace {

ThreadId id(int thread) { return ThreadId{static_cast<std::uint32_t>(thread)}; }

}  // namespace

BlockedThread ProgramStates::blocked(const ProgramState& state, int thread) const {
    const Operation operation = pending(state, thread);
    return {thread_name(state, thread), operation.kind, target_name(state, operation)};
}

void ProgramStates::deadlocks(const ProgramState& state, std::vector<Ending>& result) const {
    result.clear();
    const SyncModel& model = model_of(state);
    bool stuck = true;
    std::vector<BlockedThread> all;
    for (int thread = 0; thread < static_cast<int>(program_.threads.size()); ++thread) {
        if (live(state, thread)) {
            const Operation operation = pending(state, thread);
            stuck =
                stuck && !model.enabled(id(thread), operation) && !model.can_time_out(id(thread), operation);
            if (stuck) {
                all.push_back(blocked(state, thread));
            }
            std::vector<int> path{thread};
            find_cycles(state, path, result);
        }
    }
    if (stuck && !all.empty()) {
        result.push_back({&Outcomes::deadlocks, describe_stuck(std::move(all))});
    }
}

/// All ways from the end of the path back to its start, over threads with higher numbers than that.
void ProgramStates::find_cycles(const ProgramState& state, std::vector<int>& path,
                                std::vector<Ending>& result) const {
    const int last = path.back();
    const Operation operation = pending(state, last);
    if (model_of(state).can_time_out(id(last), operation)) {
        return;
    }
    for (const ThreadId blocker : model_of(state).blockers(id(last), operation)) {
        const int next = static_cast<int>(blocker.index());
        if (next == path.front()) {
            std::vector<BlockedThread> cycle;
            cycle.reserve(path.size());
            for (const int thread : path) {
                cycle.push_back(blocked(state, thread));
            }
            result.push_back({&Outcomes::deadlocks, describe_cycle(std::move(cycle))});
        } else if (next > path.front() && live(state, next) &&
                   std::find(path.begin(), path.end(), next) == path.end()) {
            path.push_back(next);
            find_cycles(state, path, result);
            path.pop_back();
        }
    }
}

}  // namespace coopcheck::testing
