#include "cmd/explore.hpp"

#include <CLI/App.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "cmd/coverage_table.hpp"
#include "cmd/each_test.hpp"
#include "cmd/explore_options.hpp"
#include "cmd/explore_summary.hpp"
#include "cmd/free_strategies.hpp"
#include "cmd/interrupt.hpp"
#include "cmd/jobs.hpp"
#include "cmd/learnt_file.hpp"
#include "cmd/program_words.hpp"
#include "cmd/progress.hpp"
#include "cmd/races.hpp"
#include "cmd/report_files.hpp"
#include "cmd/resume_file.hpp"
#include "cmd/storage_table.hpp"
#include "cmd/traced_program.hpp"
#include "cmd/write_traces.hpp"
#include "core/log.hpp"
#include "explorer/coverage.hpp"
#include "explorer/storage.hpp"
#include "reporting/shell_words.hpp"

namespace coopcheck::cmd {

namespace {

/// Why the search has to stop now: the time is up, or the user has said so.
std::function<std::optional<std::string>()> interruption(std::optional<double> time_limit_s) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    return [time_limit_s, start]() -> std::optional<std::string> {
        if (InterruptGuard::was_interrupted()) return "interrupted";
        if (time_limit_s && std::chrono::duration<double>(Clock::now() - start).count() >= *time_limit_s) {
            std::ostringstream text;
            text << "the time limit of " << *time_limit_s << " s was reached";
            return text.str();
        }
        return std::nullopt;
    };
}

std::vector<std::string> conditions_of(const Exploration& exploration, const ExploreOptions& options,
                                       const RaceWatch& watch, const SortedRaces& races) {
    if (!exploration.result.findings.empty()) return {};
    std::vector<std::string> all{condition_on_data(watch, races, exploration.result.counts.paths())};
    if (!options.traced.model.explore_timeouts)
        all.emplace_back("timed waits time out only when nothing else can run");
    const std::set<std::string> more(exploration.result.conditions.begin(),
                                     exploration.result.conditions.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

void print_claims(const RunSummary& summary) {
    for (const std::string& claim : summary.claims) std::cout << claim << '\n';
    for (std::size_t i = 0; i < summary.conditions.size(); ++i) {
        std::cout << (i == 0 ? "holds if: " : ", ") << summary.conditions[i];
    }
    if (!summary.conditions.empty()) std::cout << ".\n";
}

ExitCode exit_code(const Exploration& exploration) {
    if (InterruptGuard::was_interrupted()) return ExitCode::Interrupted;
    if (!exploration.result.findings.empty()) return ExitCode::Found;
    return exploration.complete ? ExitCode::Clean : ExitCode::Incomplete;
}

/// What a search says of the schedules it has run, where races were found besides.
std::string besides_races(std::string claim) {
    const std::string words = "A bug in this program on this input";
    const std::size_t at = claim.find(words);
    if (at != std::string::npos)
        claim.replace(at, words.size(), "Besides the races, a bug in this program on this input");
    return claim;
}

/// "function" of "function file:line".
std::string function_of(const std::string& place) { return place.substr(0, place.rfind(' ')); }

/// What is left of the search waits in its file.
void settle(const ResumeFile& resume, const Exploration& exploration) {
    if (exploration.result.exhausted) {
        resume.remove();
    } else {
        std::cout << "the rest of the search waits in " << shell_word(resume.path())
                  << ": the same command goes on with it\n";
    }
}

/// The search with everything around it; prints its findings and its claims.
RunSummary explore_program(ExploreOptions options) {
    options.search.budget.interruption = interruption(options.time_limit_s);
    if (runs_freely(options.strategy.name)) return explore_freely(options);
    Suppressions suppressions;
    if (!options.races.suppress_file.empty()) suppressions = Suppressions::read(options.races.suppress_file);
    tracer::LaunchOptions launch = launch_options(options.command);
    if (!options.resume_file.empty()) launch.input = input_to_resume(options.resume_file);
    tracer::TracedExecution execution(launch, options.traced);
    const bool on_terminal = can_show_progress() && !options.style.quiet;
    RunSummary summary;
    describe_run(options, summary);
    // A search that goes on must find the names in the order in which it knew them.
    const bool may_walk_first = options.resume_file.empty();
    if (may_walk_first && (options.estimate || on_terminal))
        summary.estimates = estimate_bounds(execution, options);
    const auto place = [&](std::uint64_t site) { return execution.describe_site(site); };
    Coverage coverage([&](std::uint64_t site) { return function_of(place(site)); });
    Progress progress({.show = on_terminal, .estimates = summary.estimates}, &coverage);
    options.search.judge = [&, judge = make_judge(make_oracle(options.oracle), [&] {
                                   return execution.standard_output();
                               })](const RunEnd& end, const Execution& at) {
        std::optional<Verdict> verdict = judge(end, at);
        if (verdict) progress.note_bad_run();
        return verdict;
    };
    ResumeFile resume(options, launch, execution);
    Storage storage;
    RaceWatch watch(execution,
                    {.races = options.races.races,
                     .points = options.races.points,
                     .search_watches = options.races.search_watches(),
                     .storage = options.races.show_storage ? &storage : nullptr,
                     .interruption = options.search.budget.interruption},
                    &progress);
    Continuation continuation;
    if (!options.resume_file.empty()) {
        continuation = {.from = resume.load(), .keeper = &resume};
        resume.keep_also(watch);
    }
    execution.set_watching(options.races.search_watches());
    if (options.races.limited) {
        options.search.budget.interruption = [&, limit = options.search.max_findings, known = std::size_t{0},
                                              before = options.search.budget.interruption,
                                              count = std::size_t{0}]() mutable {
            // Asked often, and there is seldom a new one.
            if (watch.confirmed() != known) {
                known = watch.confirmed();
                count = count_races(execution, watch.races(), suppressions);
            }
            return count >= limit ? std::optional<std::string>("stopped at the limit on findings") : before();
        };
    }
    const LearntFile learnt(options.traces.path, describe_program(execution, launch));
    if (continuation.from) {
        watch.go_on_from(resume.watch_state());
        options.search.visible = watch.visible();
    } else {
        if (watch.is_on()) watch.know(learnt.load(execution));
        options.search.visible = watch.look_first();
    }
    const auto make_workers = [&]() -> std::unique_ptr<Workers> {
        if (!watch.visible().empty()) {
            log::warning("The program accesses memory without locks; one job goes on alone.");
            return nullptr;
        }
        if (execution.reaches_outside()) {
            log::warning(
                "The program makes files, pipes or shared memory, where the copies of it in several jobs "
                "could "
                "meet; one job goes on alone.");
            return nullptr;
        }
        return make_jobs({options, launch, execution, progress, coverage});
    };
    Exploration exploration =
        search_by(options.strategy, execution, options.search, place, &watch, continuation,
                  options.jobs > 1 ? MakeWorkers(make_workers) : MakeWorkers());
    execution.set_watching(Watching::Off);
    summary.seconds = progress.seconds();
    progress.erase();
    if (watch.is_on()) learnt.save(execution, watch.visible());
    SortedRaces races = sort_races(execution, launch, watch.races(), std::move(suppressions));
    std::vector<Finding>& findings = exploration.result.findings;
    findings.insert(findings.end(), races.findings.begin(), races.findings.end());
    summary.findings = report_findings(
        execution, launch, exploration.result, options.traces,
        {.minimize_time_s = options.minimize_time_s,
         .search = options.search,
         .style = text_style(options.style),
         .say = [&](const std::string& words) { words.empty() ? progress.erase() : progress.say(words); }});
    progress.erase();
    summary.program = describe_program(execution, launch);
    summary.progress = progress.samples();
    summary.conditions = conditions_of(exploration, options, watch, races);
    if (std::string size = claim_of_size(execution, options, exploration); !size.empty())
        exploration.claims.push_back(std::move(size));
    summary.exit_code = static_cast<int>(exit_code(exploration));
    describe_search(exploration, coverage, summary);
    if (!races.findings.empty()) {
        for (std::string& claim : summary.claims) claim = besides_races(std::move(claim));
    }
    describe_races(races, watch, summary);
    if (options.races.show_storage) summary.storage = storage_rows(execution, storage);
    if (!options.style.quiet && !options.brief) {
        std::cout << describe(races);
        if (options.races.show_storage) std::cout << storage_table(summary.storage, watch.watched() + 1);
        print_claims(summary);
        print_coverage(coverage, options.show_coverage || options.style.verbose);
    }
    if (!options.resume_file.empty()) settle(resume, exploration);
    return summary;
}

ExitCode run_explore(ExploreOptions& options) {
    complete(options);
    const InterruptGuard interrupts;
    std::vector<RunSummary> runs;
    if (options.each_test) {
        runs = explore_each_test(options, explore_program);
    } else {
        runs.push_back(explore_program(options));
    }
    const std::string page = write_report_files(options.files, options.traces.path, runs);
    if (!page.empty() && !options.style.quiet) std::cout << "report: " << page << '\n';
    return worst_exit_code(runs);
}

}  // namespace

Command declare_explore(CLI::App& app) {
    CLI::App* command =
        app.add_subcommand("explore", "Run a program through its thread schedules and look for bugs");
    auto options = std::make_shared<ExploreOptions>();
    declare_explore_options(*command, *options);
    return {command, [command, options] {
                options->command = program_words(*command);
                return run_explore(*options);
            }};
}

}  // namespace coopcheck::cmd
