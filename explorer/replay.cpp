#include "explorer/replay.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "explorer/deadlock.hpp"
#include "explorer/fairness.hpp"
#include "explorer/monitors.hpp"
#include "explorer/race_detector.hpp"
#include "explorer/race_state.hpp"

namespace coopcheck {

namespace {

/// More operations of the runtime library than this in a row are no small difference any more.
constexpr std::size_t most_extra_steps = 1000;

std::optional<Location> at_address(const std::string& name) {
    std::uint64_t address = 0;
    const char* end = name.data() + name.size();
    if (!name.starts_with("0x")) {
        return std::nullopt;
    }
    const auto [stop, error] = std::from_chars(name.data() + 2, end, address, 16);
    constexpr unsigned address_bits = 56;
    if (error != std::errc{} || stop != end || address >> address_bits != 0) {
        return std::nullopt;
    }
    return Location::memory(address);
}

std::string describe_result(int result) {
    return std::to_string(result) + (result > 0 ? " (" + std::string(std::strerror(result)) + ")"
                                                : "");  // NOLINT(concurrency-mt-unsafe)
}

/// One replay.
class Replay {
  public:
    Replay(Execution& execution, const Trace& trace, const ReplayOptions& options)
        : execution_(execution), trace_(trace), options_(options), steps_(execution, options_.words) {}

    ReplayResult run() {
        execution_.set_watching(is_watched() ? Watching::Every : Watching::Off);
        start();
        for (std::size_t index = 0; index < trace_.steps.size(); ++index) {
            number_ = index + 1;
            if (number_ >= options_.until) {
                return finish(ReplayResult::Kind::Stopped);
            }
            if (end_) {
                if (const auto finding = found(); !finding.empty()) {
                    return finish_with(finding);
                }
                return diverge(trace_.steps[index], "the program has ended");
            }
            if (number_ == trace_.steps.size() && is_spared(trace_.steps[index])) {
                break;
            }
            if (auto diverged = follow(trace_.steps[index])) {
                return std::move(*diverged);
            }
        }
        if (options_.until <= trace_.steps.size() + 1) {
            return finish(ReplayResult::Kind::Stopped);
        }
        return run_on();
    }

    /// The race of the trace was seen in a schedule whose accesses were watched.
    [[nodiscard]] bool is_watched() const { return trace_.finding.race && trace_.finding.race->apart; }

  private:
    void start() {
        std::vector<Location> visible;
        for (const std::string& name : trace_.options.visible) {
            const std::optional<Location> location =
                options_.locate ? options_.locate(name) : at_address(name);
            if (!location) {
                throw Error(
                    "The trace watches accesses to '" + name +
                    "', which this program does not have; make the trace anew with coopcheck explore.");
            }
            visible.push_back(*location);
        }
        execution_.set_visible(visible);
        execution_.restart();
    }

    const ParkedThread* parked(const std::string& name) const {
        const auto all = execution_.parked();
        const auto entry = std::find_if(all.begin(), all.end(), [&](const ParkedThread& thread) {
            return writer().name(thread.thread) == name;
        });
        return entry == all.end() ? nullptr : &*entry;
    }

    /// The variant among those possible now that the trace means.
    std::optional<Variant> find_variant(const ParkedThread& thread, const TraceVariant& wanted) const {
        const SyncModel& model = execution_.model();
        if (wanted.kind == Variant::Kind::Timeout && model.can_time_out(thread.thread, thread.operation)) {
            return Variant::timeout();
        }
        for (const Variant variant : model.options(thread.thread, thread.operation)) {
            if (writer().variant(thread, variant) == wanted) {
                return variant;
            }
        }
        return std::nullopt;
    }

    /// The trace ends with the failure itself, and the thread that was to fail does something else now: the
    /// program has followed to the end, and the bug is gone from there.
    [[nodiscard]] bool is_spared(const TraceStep& last) const {
        const bool is_failure =
            last.operation.kind == OpKind::Failure || last.operation.kind == OpKind::ProcessExit;
        const ParkedThread* thread = parked(last.thread);
        return is_failure && thread != nullptr &&
               !same_operation(writer().operation(thread->operation), last.operation);
    }

    /// Nothing if the program followed.
    std::optional<ReplayResult> follow(const TraceStep& wanted) {
        for (std::size_t extra = 0; extra <= most_extra_steps; ++extra) {
            const ParkedThread* thread = parked(wanted.thread);
            if (thread == nullptr) {
                return diverge(wanted, wanted.thread + (ended_.contains(wanted.thread) ? " has ended"
                                                                                       : " does not exist"));
            }
            const TraceOperation operation = writer().operation(thread->operation);
            if (same_operation(operation, wanted.operation)) {
                return make(wanted, *thread);
            }
            const Operation& next = thread->operation;
            if (operation.runtime &&
                execution_.model().options(thread->thread, next) == std::vector{Variant::normal()}) {
                result_.runtime_differences += 1;
                make_step({thread->thread, Variant::normal()}, ReplayedStep::Kind::Extra);
                if (end_) {
                    return diverge(wanted, "the program has ended");
                }
                continue;
            }
            if (wanted.operation.runtime) {
                result_.runtime_differences += 1;
                return std::nullopt;
            }
            return diverge(wanted, wanted.thread + " is at " + describe(by_label(operation)),
                           writer().source(next.site));
        }
        return diverge(wanted, wanted.thread + " makes one operation of the runtime library after another");
    }

    std::optional<ReplayResult> make(const TraceStep& wanted, const ParkedThread& thread) {
        const SyncModel& model = execution_.model();
        const std::string source = writer().source(thread.operation.site);
        const std::size_t occurrence = steps_.occurrences().of(wanted.thread, wanted.operation);
        if (occurrence != wanted.occurrence && !wanted.operation.runtime) {
            return diverge(wanted,
                           wanted.thread + " has done this " + std::to_string(occurrence) +
                               " times before, not " + std::to_string(wanted.occurrence) + " times",
                           source);
        }
        const std::optional<Variant> variant = find_variant(thread, wanted.variant);
        if (!variant && !model.enabled(thread.thread, thread.operation)) {
            std::string blockers;
            for (const ThreadId blocker : model.blockers(thread.thread, thread.operation)) {
                blockers += (blockers.empty() ? ", for " : " and ") + writer().name(blocker);
            }
            return diverge(wanted, wanted.thread + " has to wait there" + blockers, source);
        }
        if (!variant) {
            return diverge(wanted, "that outcome is not possible now", source);
        }
        const TraceStep made = make_step({thread.thread, *variant}, ReplayedStep::Kind::Matching);
        if (!same_operation(made.operation, wanted.operation)) {
            return diverge(wanted, wanted.thread + " did " + describe(by_label(made.operation)), made.source);
        }
        if (made.result != wanted.result && !wanted.operation.runtime) {
            return diverge(wanted, "it returned " + describe_result(made.result), made.source);
        }
        return std::nullopt;
    }

    TraceStep make_step(Choice choice, ReplayedStep::Kind kind) {
        RecordedSteps::Made made = steps_.make(choice);
        last_thread_ = choice.thread;
        last_operation_ = made.result.operation;
        end_ = made.result.end;
        if (made.result.thread_ended) {
            ended_.insert(made.step.thread);
        }
        if (trace_.finding.kind == FindingKind::Race) {
            look_for_races(choice.thread, made.result);
        } else if (trace_.finding.kind == FindingKind::Livelock && !end_) {
            fairness_.ran(choice.thread, spin_of(made.result), execution_, {});
        }
        if (options_.on_step) {
            options_.on_step({kind, number_, made.step});
        }
        return std::move(made.step);
    }

    void look_for_races(ThreadId thread, const StepResult& step) {
        races_.clear();
        if (is_watched()) {
            detector_.step(thread, step, execution_.model(), seen_);
            for (const Race& race : seen_.races) {
                if (race.ordered_here) {
                    continue;
                }
                Finding finding{.kind = FindingKind::Race, .thread = race.second.thread};
                finding.race = std::make_shared<const Race>(race);
                finding.operation.kind = OpKind::Read;
                finding.operation.location = race.second.access.location;
                finding.operation.site = race.second.access.site;
                races_.push_back(writer().finding(finding));
            }
            return;
        }
        monitors_.step(thread, step, execution_.model());
        for (const Access& access : step.accesses) {
            if (access.atomic) {
                continue;
            }
            const bool undisciplined = monitors_.lockset.access(thread, access, execution_.model());
            const bool racing = monitors_.happens_before.access(thread, access).has_value();
            if (undisciplined || racing) {
                Finding race{.kind = FindingKind::Race, .thread = thread};
                race.operation.kind = access.write ? OpKind::Write : OpKind::Read;
                race.operation.location = access.location;
                race.operation.site = access.site;
                races_.push_back(writer().finding(race));
            }
        }
    }

    /// What is wrong where the program stands; several for more than one cycle.
    std::vector<TraceFinding> found() const {
        std::vector<TraceFinding> all = races_;
        if (end_) {
            if (auto finding = found_at_end()) {
                all.push_back(std::move(*finding));
            }
            return all;
        }
        if (fairness_.is_livelock()) {
            all.push_back(writer().finding({.kind = FindingKind::Livelock,
                                            .thread = last_thread_,
                                            .operation = last_operation_,
                                            .message = trace_.finding.message}));
        }
        if (trace_.finding.race && !is_watched()) {
            add_race(all);
        }
        const SyncModel& model = execution_.model();
        bool stuck = true;
        for (const ParkedThread& thread : execution_.parked()) {
            stuck = stuck && !model.enabled(thread.thread, thread.operation) &&
                    !model.can_time_out(thread.thread, thread.operation);
            if (auto cycle = find_wait_cycle(execution_, thread.thread)) {
                Finding finding{.kind = FindingKind::Deadlock, .waits = std::move(*cycle)};
                finding.is_cycle = true;
                all.push_back(writer().finding(finding));
            }
        }
        if (stuck) {
            all.push_back(writer().finding({.kind = FindingKind::Deadlock, .waits = all_waits(execution_)}));
        }
        return all;
    }

    /// Two threads before accesses to the same memory.
    void add_race(std::vector<TraceFinding>& all) const {
        for (const ParkedThread& first : execution_.parked()) {
            for (const ParkedThread& second : execution_.parked()) {
                if (const auto race = race_of(execution_, first.thread, second.thread)) {
                    all.push_back(writer().finding(*race));
                }
            }
        }
    }

    /// A bad exit, or an assertion of a test framework, which goes on after it and exits in the end.
    [[nodiscard]] bool was_told_by_exit() const {
        return trace_.finding.kind == FindingKind::BadExit ||
               (trace_.finding.kind == FindingKind::Assertion && trace_.finding.operation &&
                trace_.finding.operation->kind == OpKind::ProcessExit);
    }

    /// Which exit codes are good only the search knew; the one of the trace is not.
    [[nodiscard]] bool is_bad_exit_again() const {
        return trace_.finding.operation && trace_.finding.operation->exit_code == end_->code;
    }

    std::optional<TraceFinding> found_at_end() const {
        Finding finding{.thread = last_thread_, .operation = last_operation_, .message = end_->message};
        if (end_->kind == RunEnd::Kind::Failed) {
            finding.kind = end_->failure;
        } else if (end_->kind == RunEnd::Kind::Misused) {
            finding.kind = FindingKind::Misuse;
            finding.misuse = end_->misuse;
        } else if (was_told_by_exit() && is_bad_exit_again()) {
            finding.kind = trace_.finding.kind;
            finding.message = trace_.finding.message;
        } else if (trace_.finding.kind == FindingKind::WrongOutput && options_.output &&
                   options_.output().substr(0, longest_output) == trace_.output) {
            finding.kind = FindingKind::WrongOutput;
            finding.message = trace_.finding.message;
        } else {
            return std::nullopt;
        }
        return writer().finding(finding);
    }

    /// From the end of the trace: what is wrong here, or else where the program goes on to.
    ReplayResult run_on() {
        for (std::size_t beyond = 0;; ++beyond) {
            if (const auto finding = found(); !finding.empty()) {
                return finish_with(finding);
            }
            if (end_) {
                return finish(ReplayResult::Kind::GoodEnd);
            }
            if (beyond >= options_.beyond_limit) {
                return finish(ReplayResult::Kind::Unfinished);
            }
            number_ = trace_.steps.size() + beyond + 1;
            make_step(next_choice(), ReplayedStep::Kind::Beyond);
        }
    }

    /// The thread that ran last if it can go on and did not offer to yield; then the next one in turn;
    /// timeouts only when nothing else can run. Somebody can: found() has seen to that.
    Choice next_choice() const {
        const SyncModel& model = execution_.model();
        const auto all = execution_.parked();
        if (last_thread_.valid() && wants_to_go_on(execution_, last_thread_, last_operation_.kind)) {
            return {last_thread_,
                    model.options(last_thread_, execution_.parked_thread(last_thread_).operation).front()};
        }
        const auto first = std::find_if(all.begin(), all.end(), [&](const ParkedThread& thread) {
            return !last_thread_.valid() || thread.thread > last_thread_;
        });
        std::vector<ParkedThread> in_turn(first, all.end());
        in_turn.insert(in_turn.end(), all.begin(), first);
        for (const ParkedThread& thread : in_turn) {
            if (const auto variants = model.options(thread.thread, thread.operation); !variants.empty()) {
                return {thread.thread, variants.front()};
            }
        }
        const auto timed = std::find_if(in_turn.begin(), in_turn.end(), [&](const ParkedThread& thread) {
            return model.can_time_out(thread.thread, thread.operation);
        });
        return {timed->thread, Variant::timeout()};
    }

    ReplayResult finish_with(const std::vector<TraceFinding>& findings) {
        const auto same = std::find_if(findings.begin(), findings.end(), [&](const TraceFinding& finding) {
            return same_bug(finding, trace_.finding);
        });
        result_.finding = same == findings.end() ? findings.front() : *same;
        return finish(same == findings.end() ? ReplayResult::Kind::DifferentFinding
                                             : ReplayResult::Kind::Reproduced);
    }

    /// With what the source calls its objects, for people.
    [[nodiscard]] TraceOperation by_label(TraceOperation operation) const {
        for (std::string* name : {&operation.object, &operation.mutex, &operation.location}) {
            if (const auto label = trace_.labels.find(*name); label != trace_.labels.end()) {
                *name = label->second;
            }
        }
        return operation;
    }

    ReplayResult diverge(const TraceStep& wanted, std::string happened, std::string source = "") {
        std::string expected =
            wanted.thread + " to do " + describe(by_label(wanted.operation)) + describe(wanted.variant);
        if (wanted.result != 0) {
            expected += " with the result " + describe_result(wanted.result);
        }
        result_.divergence = {number_, std::move(expected), std::move(happened), std::move(source)};
        return finish(ReplayResult::Kind::Diverged);
    }

    ReplayResult finish(ReplayResult::Kind kind) {
        result_.kind = kind;
        for (const Wait& wait : all_waits(execution_)) {
            result_.parked.push_back(writer().wait(wait));
        }
        return std::move(result_);
    }

    [[nodiscard]] const TraceWriter& writer() const { return steps_.writer(); }

    Execution& execution_;
    const Trace& trace_;
    const ReplayOptions& options_;
    RecordedSteps steps_;
    ReplayResult result_;
    /// The step of the trace that is looked at, counted from 1.
    std::size_t number_ = 0;
    ThreadId last_thread_;
    Operation last_operation_;
    std::optional<RunEnd> end_;
    std::set<std::string> ended_;
    Monitors monitors_;
    Fairness fairness_;
    /// Seen in the last step, or so far where accesses are watched.
    std::vector<TraceFinding> races_;
    RaceDetector detector_;
    RaceDetector::Seen seen_;
};

}  // namespace

ReplayResult replay(Execution& execution, const Trace& trace, const ReplayOptions& options) {
    for (;;) {
        try {
            Replay replay(execution, trace, options);
            ReplayResult result = replay.run();
            const bool too_late = replay.is_watched() && execution.watched_too_late();
            if (!too_late) {
                execution.set_watching(Watching::Off);
                return result;
            }
            if (options.on_restart) {
                options.on_restart();
            }
        } catch (const Refined&) {
            if (options.on_restart) {
                options.on_restart();
            }
        }
    }
}

std::string likely_cause(const TraceProgram& recorded, const TraceProgram& replayed) {
    if (recorded.arguments != replayed.arguments) {
        return "the program was started with other arguments";
    }
    if (recorded.build_id != replayed.build_id) {
        const auto id = [](const std::string& build_id) {
            return build_id.empty() ? "none" : build_id.substr(0, 12);
        };
        return "the program was changed and built again (build id " + id(recorded.build_id) + " then, " +
               id(replayed.build_id) + " now)";
    }
    if (recorded.input.has_value() != replayed.input.has_value() ||
        (recorded.input && (recorded.input->hash != replayed.input->hash))) {
        return "the program read another input";
    }
    return "the program is the same; something else it depends on is not: files, the environment, "
           "uninitialized memory, "
           "a data race";
}

}  // namespace coopcheck
