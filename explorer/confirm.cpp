#include "explorer/confirm.hpp"

#include <algorithm>
#include <set>

#include "core/switch.hpp"

namespace coopcheck {

namespace {

/// Runs chosen steps, one by one, and keeps the record of what was run.
class Driver {
  public:
    explicit Driver(Execution& execution) : execution_(execution) { execution_.restart(); }

    /// Makes the step if the thread is still about to do the same operation and can; otherwise the thread is
    /// not run any further.
    bool try_step(const StepRecord& wanted) {
        if (over_ || stopped_.contains(wanted.thread) || !can_make(wanted)) {
            stopped_.insert(wanted.thread);
            return false;
        }
        StepRecord made = wanted;
        made.preempting = turns_.switch_to(execution_, wanted.thread) == SwitchKind::Preemption;
        over_ = execution_.step(wanted.thread, wanted.variant).end.has_value();
        turns_.made_step(wanted.thread, wanted.operation.kind);
        steps_.push_back(made);
        return true;
    }
    void stop(ThreadId thread) { stopped_.insert(thread); }
    [[nodiscard]] bool over() const { return over_; }
    [[nodiscard]] const std::vector<StepRecord>& steps() const { return steps_; }

  private:
    [[nodiscard]] const ParkedThread* parked(ThreadId thread) const {
        const auto all = execution_.parked();
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const ParkedThread& entry) { return entry.thread == thread; });
        return found == all.end() ? nullptr : &*found;
    }
    [[nodiscard]] bool can_make(const StepRecord& wanted) const {
        const ParkedThread* entry = parked(wanted.thread);
        if (entry == nullptr || entry->operation.kind != wanted.operation.kind ||
            entry->operation.object != wanted.operation.object ||
            entry->operation.thread != wanted.operation.thread) {
            return false;
        }
        const std::vector<Variant> variants = execution_.model().options(wanted.thread, entry->operation);
        return std::find(variants.begin(), variants.end(), wanted.variant) != variants.end();
    }

    Execution& execution_;
    std::set<ThreadId> stopped_;
    std::vector<StepRecord> steps_;
    Turns turns_;
    bool over_ = false;
};

}  // namespace

std::optional<Finding> confirm_deadlock(Execution& execution, const std::vector<StepRecord>& steps,
                                        const std::vector<ChainLink>& chain) {
    Driver driver(execution);
    for (std::size_t index = 0; index < steps.size(); ++index) {
        for (const ChainLink& link : chain) {
            if (link.taken_at && *link.taken_at == index) {
                driver.stop(link.thread);
            }
        }
        driver.try_step(steps[index]);
    }
    if (driver.over()) {
        return std::nullopt;
    }
    std::optional<std::vector<Wait>> cycle = find_wait_cycle(execution, chain.front().thread);
    if (!cycle) {
        return std::nullopt;
    }
    Finding finding;
    finding.kind = FindingKind::Deadlock;
    finding.waits = std::move(*cycle);
    finding.is_cycle = true;
    finding.schedule = to_schedule(driver.steps());
    finding.preemptions = count_preemptions(driver.steps());
    return finding;
}

}  // namespace coopcheck
