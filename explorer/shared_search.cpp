#include "explorer/shared_search.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <list>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/error.hpp"
#include "explorer/explore.hpp"
#include "explorer/faults.hpp"
#include "explorer/gathered_parts.hpp"
#include "explorer/search_gaps.hpp"
#include "explorer/search_part.hpp"
#include "explorer/shared_classes.hpp"

namespace coopcheck {

namespace {

/// A search that has to be started over is not shared before it has run so many schedules.
constexpr std::size_t schedules_alone = 200;

struct Part {
    enum class Status : std::uint8_t { Waiting, Running, Done, Dropped };

    std::string text;
    /// It was left by the bound before: more is assumed now than was when it was written.
    bool is_old = false;
    Status status = Status::Waiting;
    PartEnd end = PartEnd::Finished;
    std::string report;
    std::string rest;
    std::string extra;
};

using Parts = std::list<Part>;  // in the order of the search

class KeptState : public SearchKeeper {
  public:
    [[nodiscard]] bool is_due() override { return false; }
    void keep(const SearchState& state) override { state_ = state; }
    [[nodiscard]] std::optional<SearchState>& state() { return state_; }

  private:
    std::optional<SearchState> state_;
};

/// One start of the search: from a state to its end, or to where it has to begin again.
class Start {
  public:
    Start(Execution& execution, const SearchOptions& options, Workers& workers)
        : execution_(execution), options_(options), workers_(workers) {}

    void run(const SearchState& from);

    [[nodiscard]] bool has_to_start_over() const { return start_over_; }
    [[nodiscard]] const GatheredParts& gathered() const { return gathered_; }
    [[nodiscard]] SearchResult result() const;

  private:
    void take_over(const SearchState& from);
    /// Until all parts are done that have to be.
    void run_parts();
    void give_work();
    void ask_for_parts();
    void hear(const WorkerEvent& event);
    void end_part(std::size_t worker, const WorkerEvent& event);
    void stop(const std::string& why);
    /// Nobody needs what comes after this part any more.
    void drop_after(Parts::iterator part);
    /// Takes in what the parts came to, in their order, up to the one that decides.
    void gather();
    void take_in(Parts::const_iterator part, const PartReport& report);
    /// Whether a search that goes through the parts one after the other stops at this one.
    [[nodiscard]] bool is_decided_by(const PartReport& report) const;
    [[nodiscard]] bool is_something_left_after(Parts::const_iterator part) const;
    void count_bound();

    Execution& execution_;
    const SearchOptions& options_;
    Workers& workers_;
    Parts parts_;
    /// What each worker is busy with; parts_.end() if with nothing.
    std::vector<Parts::iterator> at_;
    std::vector<bool> is_asked_;
    std::vector<bool> is_lost_;
    std::string known_;

    unsigned bound_ = 0;
    std::optional<unsigned> finished_bound_;
    std::vector<std::size_t> paths_at_bound_;
    GatheredParts gathered_;
    bool has_enough_ = false;
    bool start_over_ = false;
    /// Why the search has to stop before its end; empty if it has not.
    std::string stop_;
};

void Start::take_over(const SearchState& from) {
    bound_ = from.bound;
    finished_bound_ = from.finished_bound;
    paths_at_bound_ = from.paths_at_bound;
    gathered_.take_over(from);
    parts_.push_back({.text = write_part(execution_.knowledge(), from)});
}

void Start::run(const SearchState& from) {
    take_over(from);
    const std::size_t workers = workers_.start(execution_.knowledge(), options_.budget.schedules);
    at_.assign(workers, parts_.end());
    is_asked_.assign(workers, false);
    is_lost_.assign(workers, false);
    for (;;) {
        run_parts();
        gather();
        count_bound();
        if (!stop_.empty() || has_enough_ || start_over_) return;
        if (options_.bound) finished_bound_ = bound_;
        std::erase_if(parts_, [](const Part& part) { return part.rest.empty(); });
        if (!options_.bound || parts_.empty() || bound_ == *options_.bound) return;
        bound_ += 1;
        for (Part& part : parts_) part = {.text = std::move(part.rest), .is_old = true};
        PartReport all;
        all.knowledge = execution_.knowledge();
        all.state.assumptions = gathered_.assumptions;
        known_ = write_report(all);
    }
}

void Start::run_parts() {
    for (;;) {
        give_work();
        const bool is_busy =
            std::any_of(at_.begin(), at_.end(), [&](Parts::iterator part) { return part != parts_.end(); });
        if (!is_busy) return;
        ask_for_parts();
        hear(workers_.next());
    }
}

void Start::give_work() {
    if (!stop_.empty()) return;
    auto part = parts_.begin();
    for (std::size_t worker = 0; worker < at_.size(); ++worker) {
        if (is_lost_[worker] || at_[worker] != parts_.end()) continue;
        part = std::find_if(part, parts_.end(),
                            [](const Part& one) { return one.status == Part::Status::Waiting; });
        if (part == parts_.end()) return;
        part->status = Part::Status::Running;
        at_[worker] = part;
        is_asked_[worker] = false;
        workers_.begin(worker, part->text, part->is_old ? known_ : std::string{});
        part->text.clear();
    }
}

void Start::ask_for_parts() {
    const auto is_idle = [&](std::size_t worker) { return !is_lost_[worker] && at_[worker] == parts_.end(); };
    bool has_idle = false;
    for (std::size_t worker = 0; worker < at_.size(); ++worker) has_idle = has_idle || is_idle(worker);
    if (!has_idle || !stop_.empty()) return;
    for (std::size_t worker = 0; worker < at_.size(); ++worker) {
        const bool is_useful =
            !is_lost_[worker] && at_[worker] != parts_.end() && at_[worker]->status == Part::Status::Running;
        if (is_useful && !is_asked_[worker]) {
            is_asked_[worker] = true;
            workers_.ask_for_part(worker);
        }
    }
}

void Start::hear(const WorkerEvent& event) {
    switch (event.kind) {
        case WorkerEvent::Kind::Gave: {
            // Of a part that is not wanted any more, another piece is not wanted either.
            const Parts::iterator from = at_[event.worker];
            COOPCHECK_CHECK(from != parts_.end(), "a part of a search was given by nobody");
            Part part{.text = event.text};
            part.status = from->status == Part::Status::Dropped ? Part::Status::Dropped : part.status;
            parts_.insert(std::next(from), std::move(part));
            is_asked_[event.worker] = false;
            break;
        }
        case WorkerEvent::Kind::Told:
            break;  // only of searches for classes
        case WorkerEvent::Kind::Ended:
            end_part(event.worker, event);
            break;
        case WorkerEvent::Kind::Lost:
            is_lost_[event.worker] = true;
            if (at_[event.worker] != parts_.end()) {
                at_[event.worker]->status = Part::Status::Dropped;
                at_[event.worker] = parts_.end();
            }
            stop(event.text);
            break;
        case WorkerEvent::Kind::Interrupted:
            stop(event.text);
            break;
    }
}

void Start::end_part(std::size_t worker, const WorkerEvent& event) {
    const auto part = std::exchange(at_[worker], parts_.end());
    COOPCHECK_CHECK(part != parts_.end(), "a part of a search ended that nobody had begun");
    if (part->status == Part::Status::Dropped) return;
    const PartReport report = read_report(event.text, execution_.names());
    part->status = Part::Status::Done;
    part->end = report.end;
    part->report = event.text;
    part->rest = event.rest;
    part->extra = event.extra;
    if (report.end == PartEnd::Stopped) stop(report.why);
    if (!is_decided_by(report)) return;
    drop_after(part);
    if (fault(Fault::BelieveFirstToFind)) {
        for (auto before = parts_.begin(); before != part; ++before) before->status = Part::Status::Dropped;
    }
}

void Start::stop(const std::string& why) {
    if (!stop_.empty()) return;
    stop_ = why;
    for (std::size_t worker = 0; worker < at_.size(); ++worker) {
        if (at_[worker] != parts_.end()) workers_.stop(worker);
    }
}

void Start::drop_after(Parts::iterator part) {
    for (auto next = std::next(part); next != parts_.end(); ++next) {
        if (next->status == Part::Status::Running) {
            const auto worker = std::find(at_.begin(), at_.end(), next);
            workers_.stop(static_cast<std::size_t>(worker - at_.begin()));
        }
        next->status = Part::Status::Dropped;
    }
}

bool Start::is_decided_by(const PartReport& report) const {
    return (report.end != PartEnd::Finished && report.end != PartEnd::Stopped) ||
           report.state.findings.size() >= options_.max_findings;
}

bool Start::is_something_left_after(Parts::const_iterator part) const {
    const bool may_rise = options_.bound && bound_ < *options_.bound;
    return std::next(part) != parts_.end() ||
           (may_rise &&
            std::any_of(parts_.begin(), parts_.end(), [](const Part& one) { return !one.rest.empty(); }));
}

void Start::gather() {
    for (auto part = parts_.cbegin(); part != parts_.cend(); ++part) {
        if (part->status != Part::Status::Done) continue;
        take_in(part, read_report(part->report, execution_.names()));
        if (has_enough_ || start_over_) return;
    }
}

void Start::take_in(Parts::const_iterator part, const PartReport& report) {
    const bool is_consistent = gathered_.take_in(report, execution_, options_);
    workers_.count(part->extra);
    has_enough_ = report.end == PartEnd::Enough ||
                  (gathered_.findings.size() >= options_.max_findings && is_something_left_after(part));
    if (has_enough_) {
        // What it found came last: nothing is left of this bound.
        const bool is_all = report.end == PartEnd::Finished && std::next(part) == parts_.end();
        if (options_.bound && is_all) finished_bound_ = bound_;
        return;
    }
    start_over_ = report.end == PartEnd::StartOver || !is_consistent;
}

void Start::count_bound() {
    const std::size_t before =
        std::accumulate(paths_at_bound_.begin(), paths_at_bound_.end(), std::size_t{0});
    paths_at_bound_.push_back(gathered_.counts.paths() - before);
}

SearchResult Start::result() const {
    SearchResult result = gathered_.result(options_, has_enough_ ? reason_of_enough(options_) : stop_);
    result.paths_at_bound = paths_at_bound_;
    result.finished_bound = finished_bound_;
    result.bound_left_nothing =
        result.exhausted &&
        std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.rest.empty(); });
    const std::size_t reasons = result.exhausted ? 0 : 1;
    if (result.gaps.size() == reasons) result.proved_bound = finished_bound_;
    return result;
}

/// Until it does not have to be started over any more.
template <typename Start>
SearchResult share(Execution& execution, const SearchOptions& options, SearchListener* listener,
                   Workers& workers, SearchState from) {
    SearchOptions left = options;
    for (;;) {
        Start start(execution, left, workers);
        start.run(from);
        if (!start.has_to_start_over()) return start.result();
        if (listener != nullptr) listener->start_over();
        workers.start_over();
        const GatheredParts& gathered = start.gathered();
        left.budget.schedules = remaining(left.budget.schedules, gathered.paths);
        left.budget.steps = remaining(left.budget.steps, gathered.steps);
        // What has been learnt is mostly seen at the beginning; whoever is alone there learns it sooner.
        SearchOptions alone = left;
        alone.budget.schedules = std::min(left.budget.schedules, schedules_alone);
        KeptState kept;
        SearchResult result =
            explore(execution, alone, listener, {.from = gathered.state_for_new_start(), .keeper = &kept});
        const bool is_interrupted = options.budget.interruption && options.budget.interruption().has_value();
        const bool is_spent =
            result.counts.paths() >= left.budget.schedules || result.counts.steps >= left.budget.steps;
        if (result.exhausted || is_interrupted || is_spent ||
            result.findings.size() >= options.max_findings) {
            return result;
        }
        left.budget.schedules = remaining(left.budget.schedules, result.counts.paths());
        left.budget.steps = remaining(left.budget.steps, result.counts.steps);
        from = kept.state() ? std::move(*kept.state()) : gathered.state_for_new_start();
    }
}

}  // namespace

SearchState state_at_start(Assumptions assumptions) {
    SearchState state;
    SavedBranch root;
    root.enabled = {main_thread};
    state.stack.push_back(root);
    state.path.push_back({.sleep = {}, .todo = {}, .is_fresh = true});
    state.assumptions = std::move(assumptions);
    return state;
}

SearchResult explore_together(Execution& execution, const SearchOptions& options, SearchListener* listener,
                              Workers& workers, SearchState from) {
    COOPCHECK_CHECK(options.reduction != Reduction::Optimal,
                    "branches of wakeup trees cannot be explored side by side");
    COOPCHECK_CHECK(!from.is_on_record, "a record cannot be shared");
    if (!is_of_classes(options)) {
        return share<Start>(execution, options, listener, workers, std::move(from));
    }
    COOPCHECK_CHECK(!options.bound, "classes within a bound are not shared");
    SearchResult result = share<SharedClasses>(execution, options, listener, workers, std::move(from));
    result.reduction = options.reduction;
    return result;
}

}  // namespace coopcheck
