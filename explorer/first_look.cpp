#include "explorer/first_look.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "explorer/confirm.hpp"
#include "explorer/lock_order_cycles.hpp"
#include "explorer/search_result.hpp"

namespace coopcheck {

namespace {

/// Of the deadlocks that one run suggests, so many are driven to.
constexpr std::size_t most_cycles = 20;

/// Keeps the steps of the first schedule that came to the program's end.
class FirstComplete : public SearchListener {
  public:
    explicit FirstComplete(SearchListener* next) : next_(next) {}

    void path(const PathReport& report) override {
        if (steps_.empty() && report.end == PathEnd::Complete) steps_ = report.steps;
        if (next_ != nullptr) next_->path(report);
    }
    void start_over() override {
        steps_.clear();
        if (next_ != nullptr) next_->start_over();
    }

    [[nodiscard]] const std::vector<StepRecord>& steps() const { return steps_; }

  private:
    SearchListener* next_;
    std::vector<StepRecord> steps_;
};

}  // namespace

SampleResult look_first(Execution& execution, Strategy& strategy, const SampleOptions& options,
                        SearchListener* listener) {
    FirstComplete first(listener);
    SampleResult result = sample(execution, strategy, options, &first);
    if (!options.find_deadlocks) return result;
    FindingSet findings;
    for (Finding& finding : std::exchange(result.findings, {})) findings.add(std::move(finding));
    for (const std::vector<ChainLink>& cycle : lock_order_cycles(first.steps(), most_cycles)) {
        if (findings.size() >= options.max_findings) break;
        if (std::optional<Finding> finding = confirm_deadlock(execution, first.steps(), cycle)) {
            findings.add(std::move(*finding));
        }
    }
    result.findings = findings.all();
    if (!result.has_enough && findings.size() >= options.max_findings) {
        result.has_enough = true;
        result.stop = "stopped at a deadlock that the locks of the first one suggested";
    }
    return result;
}

}  // namespace coopcheck
