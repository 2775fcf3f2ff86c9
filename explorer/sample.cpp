#include "explorer/sample.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "core/check.hpp"
#include "core/switch.hpp"
#include "explorer/deadlock.hpp"
#include "explorer/fairness.hpp"
#include "explorer/run_findings.hpp"
#include "explorer/trace_hash.hpp"

namespace coopcheck {

namespace {

bool is_yield(const Operation& operation) { return offers_to_yield(operation.kind); }

bool contains(const std::vector<ThreadId>& threads, ThreadId thread) {
    return std::find(threads.begin(), threads.end(), thread) != threads.end();
}

/// The state of sample(): one object is one call of it.
class Sampler {
  public:
    Sampler(Execution& execution, Strategy& strategy, const SampleOptions& options, SearchListener* listener)
        : execution_(execution),
          strategy_(strategy),
          options_(options),
          listener_(listener),
          budget_(options.budget) {}

    SampleResult run() {
        for (std::size_t number = 0; !has_enough() && !budget_.is_spent() && !strategy_.is_finished();
             ++number) {
            run_schedule(number);
        }
        return result();
    }

  private:
    [[nodiscard]] bool has_enough() const { return findings_.size() >= options_.max_findings; }

    void run_schedule(std::size_t number) {
        execution_.restart();
        begin_schedule();
        strategy_.begin_run(number);
        while (!budget_.is_spent()) {
            if (const std::optional<PathEnd> end = collect_candidates()) {
                if (*end == PathEnd::Deadlocked && options_.find_deadlocks) {
                    findings_.add(finding_of_stuck(execution_, steps_));
                }
                finish(*end, nullptr);
                return;
            }
            if (const std::optional<RunEnd> run_end = make_step()) {
                if (std::optional<Finding> finding =
                        finding_of_end(*run_end, steps_, execution_, options_.judge)) {
                    findings_.add(std::move(*finding));
                }
                finish(PathEnd::Complete, &*run_end);
                return;
            }
            if (const std::optional<PathEnd> spinning = look_for_livelock()) {
                finish(*spinning, nullptr);
                return;
            }
            look_for_cycles();
            if (has_enough()) {  // the others may run for ever
                finish(PathEnd::Deadlocked, nullptr, false);
                return;
            }
        }
        estimate_.drop_walk();
    }

    void begin_schedule() {
        steps_.clear();
        steps_of_.clear();
        in_cycle_.clear();
        hash_ = TraceHash{};
        last_ = ThreadId{};
        last_yielded_ = false;
        in_a_row_ = 0;
        fairness_ = Fairness{};
    }

    std::size_t& steps_of(ThreadId thread) {
        if (steps_of_.size() <= thread.index()) {
            steps_of_.resize(thread.index() + 1);
        }
        return steps_of_[thread.index()];
    }

    Candidate& next_candidate(const ParkedThread& parked) {
        if (count_ == candidates_.size()) {
            candidates_.emplace_back();
        }
        Candidate& candidate = candidates_[count_];
        candidate.thread = parked.thread;
        candidate.operation = parked.operation;
        candidate.variants.clear();
        return candidate;
    }

    /// Who can go on; if nobody, how the schedule has ended.
    std::optional<PathEnd> collect_candidates() {
        count_ = 0;
        enabled_.clear();
        can_time_out_.clear();
        bool limited = false;
        for (const ParkedThread& parked : execution_.parked()) {
            if (steps_of(parked.thread) >= options_.thread_step_limit) {
                limited = true;
                continue;
            }
            Candidate& candidate = next_candidate(parked);
            execution_.model().options(parked.thread, parked.operation, candidate.variants);
            if (!candidate.variants.empty()) {
                enabled_.push_back(parked.thread);
                count_ += 1;
            } else if (execution_.model().can_time_out(parked.thread, parked.operation)) {
                can_time_out_.push_back(parked.thread);
            }
        }
        leave_held_out();
        if (count_ > 0) {
            return std::nullopt;
        }
        if (enabled_.empty() && limited) {
            return PathEnd::Truncated;
        }
        if (enabled_.empty() && can_time_out_.empty()) {
            return PathEnd::Deadlocked;
        }
        // Nobody can go on, or all who can have to let those go first whose time is up.
        for (const ThreadId thread : can_time_out_) {
            next_candidate(execution_.parked_thread(thread)).variants.push_back(Variant::timeout());
            count_ += 1;
        }
        leave_held_out();
        COOPCHECK_CHECK(count_ > 0, "all threads wait for each other to have a turn");
        return std::nullopt;
    }

    void leave_held_out() {
        const auto end = candidates_.begin() + static_cast<std::ptrdiff_t>(count_);
        const auto kept = std::stable_partition(candidates_.begin(), end, [&](const Candidate& candidate) {
            return !is_held_back(candidate.thread);
        });
        used_fairness_ = used_fairness_ || kept != end;
        count_ = static_cast<std::size_t>(kept - candidates_.begin());
    }

    [[nodiscard]] bool is_held_back(ThreadId thread) const {
        return fairness_.holds_back(thread, [&](ThreadId other) {
            return other != thread && (contains(enabled_, other) || contains(can_time_out_, other));
        });
    }

    std::optional<RunEnd> make_step() {
        const std::span<const Candidate> candidates(candidates_.data(), count_);
        const Choice choice = strategy_.choose({execution_, candidates, last_});
        const auto chosen =
            std::find_if(candidates.begin(), candidates.end(),
                         [&](const Candidate& candidate) { return candidate.thread == choice.thread; });
        COOPCHECK_CHECK(chosen != candidates.end() &&
                            std::find(chosen->variants.begin(), chosen->variants.end(), choice.variant) !=
                                chosen->variants.end(),
                        "a strategy chose what was not offered");
        estimate_.branch(candidates.size());
        estimate_.branch(chosen->variants.size());

        footprint_.clear();
        execution_.model().footprint(choice.thread, chosen->operation, choice.variant, true, footprint_);
        const bool last_can_go_on = contains(enabled_, last_) && !last_yielded_ && !is_held_back(last_);
        const StepResult step = execution_.step(choice.thread, choice.variant);
        for (const Access& access : step.accesses) {
            footprint_.add(access.location, access.write);
        }
        hash_.step(choice, step.operation, footprint_);
        steps_.push_back(
            {choice.thread, step.operation, choice.variant, choice.thread != last_ && last_can_go_on});
        counts_.steps += 1;
        budget_.spend_steps(1);
        steps_of(choice.thread) += 1;
        in_a_row_ = choice.thread == last_ && enabled_.size() > 1 ? in_a_row_ + 1 : 1;
        last_ = choice.thread;
        last_yielded_ = is_yield(step.operation);
        std::optional<Spin> spin = spin_of(step);
        if (!spin && in_a_row_ >= options_.turn_limit) {
            spin = Spin{};
            in_a_row_ = 0;
        }
        fairness_.ran(choice.thread, spin, execution_, {options_.spin_patience});
        strategy_.stepped(choice.thread, step, execution_);
        return step.end;
    }

    [[nodiscard]] std::optional<PathEnd> look_for_livelock() {
        if (fairness_.is_livelock()) {
            findings_.add(finding_of_livelock(steps_));
            return PathEnd::Livelocked;
        }
        return fairness_.spins(last_) > options_.spin_limit ? std::optional{PathEnd::Truncated}
                                                            : std::nullopt;
    }

    /// Not only from the thread that made the step: a signal can make others wait for a mutex.
    void look_for_cycles() {
        if (!options_.find_deadlocks) {
            return;
        }
        for (const ParkedThread& parked : execution_.parked()) {
            if (in_cycle_.contains(parked.thread) ||
                execution_.model().enabled(parked.thread, parked.operation)) {
                continue;
            }
            if (std::optional<std::vector<Wait>> cycle = find_wait_cycle(execution_, parked.thread)) {
                for (const Wait& wait : *cycle) {
                    in_cycle_.insert(wait.thread);
                }
                findings_.add(finding_of_cycle(std::move(*cycle), steps_));
            }
        }
    }

    /// `is_leaf`: the schedule could not have been longer.
    void finish(PathEnd end, const RunEnd* run_end, bool is_leaf = true) {
        if (end == PathEnd::Complete) {
            counts_.complete += 1;
        } else if (end == PathEnd::Truncated) {
            counts_.truncated += 1;
        } else if (end == PathEnd::Livelocked) {
            counts_.livelocked += 1;
        } else {
            counts_.deadlocked += 1;
        }
        budget_.spend_schedule();
        schedules_.insert(hash_.of_choices());
        classes_.insert(hash_.of_events());
        if (is_leaf) {
            estimate_.end_walk();
        } else {
            estimate_.drop_walk();
        }
        strategy_.end_run(end == PathEnd::Complete);
        if (listener_ != nullptr) {
            listener_->path({end, steps_, run_end, execution_});
        }
    }

    [[nodiscard]] std::string reason_of_stop() const {
        if (has_enough()) {
            return options_.max_findings == 1 ? "stopped at the first finding"
                                              : "stopped at the limit on findings";
        }
        return budget_.reason().empty() ? "the strategy has no more" : budget_.reason();
    }

    [[nodiscard]] SampleResult result() const {
        SampleResult result;
        result.findings = findings_.all();
        result.counts = counts_;
        result.distinct_schedules = schedules_.size();
        result.distinct_classes = classes_.size();
        result.has_enough = has_enough();
        result.stop = reason_of_stop();
        result.estimate = strategy_.is_uniform() ? estimate_ : TreeEstimate{};
        result.strategy = strategy_.name();
        result.guarantee = strategy_.guarantee();
        if (counts_.truncated > 0) {
            result.gaps.push_back(std::to_string(counts_.truncated) +
                                  " schedules were cut where a thread reached a limit on its steps or spins");
        }
        if (!options_.find_deadlocks) {
            result.gaps.emplace_back("deadlocks were not looked for");
        }
        if (used_fairness_) {
            result.conditions.emplace_back(fairness_condition);
        }
        return result;
    }

    Execution& execution_;
    Strategy& strategy_;
    const SampleOptions& options_;
    SearchListener* listener_;

    Budget budget_;
    FindingSet findings_;
    SearchCounts counts_;
    std::unordered_set<std::uint64_t> schedules_;
    std::unordered_set<std::uint64_t> classes_;
    TreeEstimate estimate_;
    bool used_fairness_ = false;

    // Of the present schedule.
    std::vector<StepRecord> steps_;
    std::vector<std::size_t> steps_of_;
    std::set<ThreadId> in_cycle_;
    TraceHash hash_;
    ThreadId last_;
    bool last_yielded_ = false;
    std::size_t in_a_row_ = 0;
    Fairness fairness_;

    // Of the present step; the first count_ candidates count, the others keep their memory for later.
    std::vector<Candidate> candidates_;
    std::size_t count_ = 0;
    std::vector<ThreadId> enabled_;
    std::vector<ThreadId> can_time_out_;
    Footprint footprint_;
};

}  // namespace

SampleResult sample(Execution& execution, Strategy& strategy, const SampleOptions& options,
                    SearchListener* listener) {
    return Sampler(execution, strategy, options, listener).run();
}

std::string SampleResult::claim() const {
    std::string text = "sampled, not complete: " + std::to_string(schedules()) + " schedules run (" +
                       strategy + "), " + std::to_string(distinct_schedules) + " of them different, " +
                       std::to_string(distinct_classes) + " up to the order of independent operations; " +
                       stop;
    for (const std::string& gap : gaps) {
        text += "; " + gap;
    }
    for (const std::string& condition : conditions) {
        text += "; " + condition;
    }
    text += ". ";
    return text + (guarantee.empty() ? "Schedules that were not run may have bugs." : guarantee);
}

}  // namespace coopcheck
