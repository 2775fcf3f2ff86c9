#include "tests/explorer/sampling_support.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "explorer/deadlock.hpp"
#include "explorer/history_strategy.hpp"
#include "explorer/pct_strategy.hpp"
#include "explorer/pos_strategy.hpp"
#include "explorer/random_strategy.hpp"
#include "explorer/run_findings.hpp"
#include "explorer/surw_strategy.hpp"

namespace coopcheck::testing {

double chi_square(const std::map<std::string, std::size_t>& observed,
                  const std::map<std::string, double>& probabilities) {
    double total = 0;
    for (const auto& [thing, count] : observed) {
        if (!probabilities.contains(thing)) {
            return std::numeric_limits<double>::infinity();
        }
        total += static_cast<double>(count);
    }
    double sum = 0;
    for (const auto& [thing, probability] : probabilities) {
        const auto found = observed.find(thing);
        const double count = found == observed.end() ? 0 : static_cast<double>(found->second);
        const double expected = probability * total;
        sum += (count - expected) * (count - expected) / expected;
    }
    return sum;
}

double critical_value(std::size_t degrees_of_freedom) {
    const double z = 3.0902;  // a standard normal variable exceeds it with probability 0.001
    const auto df = static_cast<double>(degrees_of_freedom);
    const double root = 1 - 2 / (9 * df) + z * std::sqrt(2 / (9 * df));
    return df * root * root * root;
}

Choice AfterStart::choose(const Turn& turn) {
    const Candidate& first = turn.candidates.front();
    if (first.thread == main_thread) {
        return {main_thread, first.variants.front()};
    }
    for (const Candidate& candidate : turn.candidates) {
        if (candidate.operation.kind == OpKind::ThreadStart) {
            return {candidate.thread, candidate.variants.front()};
        }
    }
    return inner_.choose(turn);
}

Choice Scripted::choose(const Turn& turn) {
    COOPCHECK_CHECK(next_ < threads_.size(), "the script is too short");
    for (const Candidate& candidate : turn.candidates) {
        if (turn.execution.names().threads.name(candidate.thread) == threads_[next_]) {
            next_ += 1;
            return {candidate.thread, candidate.variants.front()};
        }
    }
    COOPCHECK_CHECK(false, "a thread of the script cannot go on: " + threads_[next_]);
}

void Orders::path(const PathReport& report) {
    std::string text;
    for (const StepRecord& step : report.steps) {
        if (step.operation.site != 0 && step.operation.kind != OpKind::ThreadExit) {
            text += (text.empty() ? "" : " ") + std::to_string(step.operation.site);
        }
    }
    counts[text] += 1;
    in_order.push_back(text);
    schedules.push_back(to_schedule(report.steps));
    failed += report.run_end != nullptr && report.run_end->kind == RunEnd::Kind::Failed ? 1 : 0;
    deadlocked += report.end == PathEnd::Deadlocked ? 1 : 0;
}

const std::vector<NamedStrategy>& all_strategies() {
    static const std::vector<NamedStrategy> all = {
        {"uniform", [](std::uint64_t seed) { return std::make_unique<UniformStrategy>(seed); }},
        {"random",
         [](std::uint64_t seed) {
             SwitchingOptions options;
             options.seed = seed;
             return std::make_unique<SwitchingStrategy>(options);
         }},
        {"history",
         [](std::uint64_t seed) {
             HistoryOptions options;
             options.seed = seed;
             return std::make_unique<HistoryStrategy>(options);
         }},
        {"pct",
         [](std::uint64_t seed) {
             PctOptions options;
             options.seed = seed;
             return std::make_unique<PctStrategy>(options);
         }},
        {"pos", [](std::uint64_t seed) { return std::make_unique<PosStrategy>(seed); }},
        {"surw",
         [](std::uint64_t seed) {
             SurwOptions options;
             options.seed = seed;
             return std::make_unique<SurwStrategy>(options);
         }},
        {"surw on all operations",
         [](std::uint64_t seed) {
             SurwOptions options;
             options.seed = seed;
             options.all_operations = true;
             return std::make_unique<SurwStrategy>(options);
         }},
    };
    return all;
}

std::optional<Finding> run_again(FiberExecution& execution, const Finding& finding) {
    execution.restart();
    std::vector<StepRecord> steps;
    std::optional<RunEnd> end;
    for (const Choice& choice : finding.schedule) {
        COOPCHECK_CHECK(!end, "a schedule goes on after its end");
        const StepResult step = execution.step(choice.thread, choice.variant);
        steps.push_back({choice.thread, step.operation, choice.variant, false});
        end = step.end;
    }
    if (end) {
        return finding_of_end(*end, steps, execution, {});
    }
    if (finding.kind != FindingKind::Deadlock || finding.waits.empty()) {
        return std::nullopt;
    }
    if (finding.is_cycle) {
        auto cycle = find_wait_cycle(execution, finding.waits.front().thread);
        return cycle ? std::optional{finding_of_cycle(std::move(*cycle), steps)} : std::nullopt;
    }
    for (const ParkedThread& parked : execution.parked()) {
        if (execution.model().enabled(parked.thread, parked.operation) ||
            execution.model().can_time_out(parked.thread, parked.operation)) {
            return std::nullopt;
        }
    }
    return finding_of_stuck(execution, steps);
}

namespace {

std::size_t leaves_below(FiberExecution& execution) {
    const PlacePtr place = execution.here();
    std::vector<Choice> choices;
    for (const ParkedThread& parked : execution.parked()) {
        for (const Variant variant : execution.model().options(parked.thread, parked.operation)) {
            choices.push_back({parked.thread, variant});
        }
    }
    std::size_t leaves = choices.empty() ? 1 : 0;
    for (const Choice& choice : choices) {
        execution.revisit(place);
        leaves += execution.step(choice.thread, choice.variant).end ? 1 : leaves_below(execution);
    }
    return leaves;
}

}  // namespace

std::size_t count_schedules(FiberExecution& execution) {
    execution.restart();
    return leaves_below(execution);
}

FiberProgram posting_threads(std::vector<std::string> threads) {
    return {[threads = std::move(threads)](Api& api) {
        for (std::size_t i = 0; i < threads.size(); ++i) {
            api.create([&api, operations = threads[i], number = i + 1] {
                const Semaphore shared = api.semaphore("x");
                const Semaphore own = api.semaphore("p" + std::to_string(number));
                std::uint64_t nth = 0;
                for (const char operation : operations) {
                    api.at(operation == 'x' ? 100 * number + ++nth : 0);
                    api.sem_post(operation == 'x' ? shared : own);
                }
                api.at(0);
            });
        }
    }};
}

}  // namespace coopcheck::testing
