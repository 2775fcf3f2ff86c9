#include "explorer/free_search.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "core/error.hpp"
#include "explorer/explore.hpp"
#include "explorer/follow_free.hpp"
#include "explorer/race_watch.hpp"

namespace coopcheck {

namespace {

std::string seconds(std::chrono::milliseconds time) {
    std::ostringstream text;
    text << std::chrono::duration<double>(time).count() << " s";
    return text.str();
}

/// What is wrong with it, if anything is.
std::optional<Verdict> failure_of(const FreeOutcome& outcome, const FreeSearchOptions& options) {
    if (outcome.stop == FreeOutcome::Stop::Stuck) {
        return Verdict{FindingKind::Deadlock, "all threads wait for each other"};
    }
    if (!outcome.end) {
        return std::nullopt;
    }
    if (outcome.end->kind == RunEnd::Kind::Failed) {
        return Verdict{outcome.end->failure, outcome.end->message};
    }
    return options.judge ? options.judge(outcome) : std::nullopt;
}

std::string describe_end(const FreeOutcome& outcome, const std::optional<Verdict>& failure,
                         const FreeSearchOptions& options) {
    if (failure) {
        return std::string(describe(failure->kind)) + ": " + failure->message;
    }
    if (!outcome.end) {
        return "did not end in " + seconds(options.time_limit);
    }
    return "exit code " + std::to_string(outcome.end->code);
}

SeenFailure& add_failure(FreeSearchResult& result, const Verdict& verdict) {
    auto known = std::find_if(result.failures.begin(), result.failures.end(), [&](const SeenFailure& seen) {
        return seen.kind == verdict.kind && seen.message == verdict.message;
    });
    if (known == result.failures.end()) {
        SeenFailure seen;
        seen.kind = verdict.kind;
        seen.message = verdict.message;
        seen.first_run = result.runs;
        known = result.failures.insert(known, std::move(seen));
    }
    known->runs += 1;
    return *known;
}

/// Counts a run. What it has shown, if it went wrong; nothing also if it was interrupted.
SeenFailure* account(FreeSearchResult& result, const FreeOutcome& outcome, const FreeSearchOptions& options) {
    if (outcome.stop == FreeOutcome::Stop::Interrupted) {
        return nullptr;
    }
    result.runs += 1;
    result.noises += outcome.noises;
    result.refused_priorities += outcome.refused_priorities;
    result.did_not_end += outcome.stop == FreeOutcome::Stop::TimeLimit ? 1 : 0;
    const std::optional<Verdict> failure = failure_of(outcome, options);
    result.ends[describe_end(outcome, failure, options)] += 1;
    return failure ? &add_failure(result, *failure) : nullptr;
}

bool has_to_stop(FreeSearchResult& result, const FreeSearchOptions& options) {
    if (const auto reason = options.interruption ? options.interruption() : std::nullopt) {
        result.stop = *reason;
    } else if (result.failures.size() >= options.max_failures) {
        result.stop = "enough was found";
    } else if (result.runs >= options.runs) {
        result.stop = "as many runs as wanted were made";
    }
    return !result.stop.empty();
}

/// Whether the finding is what was seen. A crash is told in other words by those who see its place.
bool is_same(const Finding& finding, const SeenFailure& seen) {
    if (finding.kind != seen.kind) {
        return false;
    }
    return seen.kind == FindingKind::Deadlock || seen.kind == FindingKind::Crash ||
           finding.message == seen.message;
}

void keep(FreeSearchResult& result, const Finding& finding) {
    const std::string key = finding.key();
    const bool is_known = std::any_of(result.findings.begin(), result.findings.end(),
                                      [&](const Finding& known) { return known.key() == key; });
    if (!is_known) {
        result.findings.push_back(finding);
    }
}

/// Follows the run and keeps what comes out of it.
std::optional<Finding> follow(FreeSearchResult& result, const FreeOutcome& outcome, const Reproduction& how) {
    std::optional<Finding> finding =
        follow_free_run(how.execution, outcome.operations, how.names, {.judge = how.judge}).finding;
    if (finding) {
        keep(result, *finding);
    }
    return finding;
}

void reproduce(FreeSearchResult& result, SeenFailure& seen, const FreeOutcome& outcome,
               const Reproduction& how) {
    if (seen.reproduced || seen.attempts >= how.most_attempts) {
        return;
    }
    seen.attempts += 1;
    seen.obstacle.clear();
    try {
        const std::optional<Finding> finding = follow(result, outcome, how);
        if (finding && is_same(*finding, seen)) {
            seen.reproduced = finding;
        }
    } catch (const Error& error) {
        // What was seen stays seen, also in a program that cannot be controlled.
        seen.obstacle = error.what();
    }
}

/// Looks for what was seen with few preemptions first, and keeps what comes out of it.
void search_for(FreeSearchResult& result, SeenFailure& seen, const Reproduction& how) {
    constexpr std::size_t most_others = 10;
    SearchOptions options = *how.search;
    RaceWatch watch(how.execution,
                    {.races = how.execution.can_watch() ? RaceSampling::Sample : RaceSampling::Off,
                     .interruption = options.budget.interruption});
    options.visible = watch.look_first();
    for (options.max_findings = 1; options.max_findings <= most_others; ++options.max_findings) {
        const SearchResult searched = explore(how.execution, options, &watch);
        for (const Finding& finding : searched.findings) {
            if (is_same(finding, seen)) {
                seen.reproduced = finding;
                seen.by_search = true;
                keep(result, finding);
                return;
            }
        }
        if (searched.findings.size() < options.max_findings) {
            return;
        }
        options.visible = watch.visible();
    }
}

void search_for_all(FreeSearchResult& result, const Reproduction& how) {
    for (SeenFailure& seen : result.failures) {
        if (seen.reproduced || !how.search || !seen.obstacle.empty()) {
            continue;
        }
        try {
            search_for(result, seen, how);
        } catch (const Error& error) {
            seen.obstacle = error.what();
        }
    }
}

/// A run that did not end may hide a deadlock of some of its threads.
void look_into(FreeSearchResult& result, const FreeOutcome& outcome, const Reproduction& how) {
    if (outcome.stop != FreeOutcome::Stop::TimeLimit || result.did_not_end > how.most_attempts) {
        return;
    }
    try {
        static_cast<void>(follow(result, outcome, how));
    } catch (const Error&) {
        // It is counted as one that did not end, which is all that is known of it.
    }
}

std::vector<StepRecord> as_steps(const std::vector<FreeOperation>& operations) {
    std::vector<StepRecord> steps;
    steps.reserve(operations.size());
    for (const FreeOperation& made : operations) {
        StepRecord step;
        step.thread = made.thread;
        step.operation = made.operation;
        steps.push_back(step);
    }
    return steps;
}

}  // namespace

std::string FreeSearchResult::claim() const {
    const char* kind = with_noise ? " runs with noise" : " native runs";
    std::ostringstream text;
    text << runs << kind << " (" << stop << ")";
    const char* separator = ": ";
    for (const auto& [end, count] : ends) {
        text << separator << count << " " << end;
        separator = ", ";
    }
    text << ".";
    for (const SeenFailure& seen : failures) {
        text << "\n"
             << describe(seen.kind) << " (" << seen.message << ") was seen in " << seen.runs << " of " << runs
             << kind << ", first in run " << seen.first_run << "; ";
        if (!with_noise) {
            text << "there is no schedule to replay it with.";
        } else if (seen.reproduced && seen.by_search) {
            text << "found again under control by a search.";
        } else if (seen.reproduced) {
            text << "reproduced under control.";
        } else {
            text << "not reproduced under control in " << seen.attempts
                 << (seen.attempts == 1 ? " attempt" : " attempts")
                 << (seen.obstacle.empty() ? "." : ": " + seen.obstacle);
        }
    }
    if (failures.empty()) {
        text << "\nNothing was seen to fail, which says nothing about other runs.";
    }
    return text.str();
}

FreeSearchResult count_native_runs(const std::function<FreeOutcome()>& run,
                                   const FreeSearchOptions& options) {
    FreeSearchResult result;
    while (!has_to_stop(result, options)) {
        const FreeOutcome outcome = run();
        account(result, outcome, options);
        if (outcome.stop == FreeOutcome::Stop::Interrupted && !has_to_stop(result, options)) {
            result.stop = "interrupted";
        }
    }
    return result;
}

FreeSearchResult search_with_noise(const std::function<FreeOutcome(const DecideNoise&)>& run,
                                   const NoiseOptions& noise, Coverage& coverage,
                                   const FreeSearchOptions& options, const Reproduction& reproduction) {
    FreeSearchResult result;
    result.with_noise = true;
    NoisePolicy policy(noise, coverage);
    while (!has_to_stop(result, options)) {
        policy.start(result.runs);
        const FreeOutcome outcome = run([&](const NoisePoint& point) { return policy.decide(point); });
        if (SeenFailure* seen = account(result, outcome, options)) {
            reproduce(result, *seen, outcome, reproduction);
        } else {
            look_into(result, outcome, reproduction);
        }
        coverage.add(as_steps(outcome.operations));
        if (outcome.stop == FreeOutcome::Stop::Interrupted && !has_to_stop(result, options)) {
            result.stop = "interrupted";
        }
    }
    search_for_all(result, reproduction);
    return result;
}

}  // namespace coopcheck
