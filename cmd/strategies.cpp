#include "cmd/strategies.hpp"

#include <CLI/App.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "cmd/history_file.hpp"
#include "cmd/schedule_counter.hpp"
#include "core/error.hpp"
#include "explorer/delay_strategy.hpp"
#include "explorer/explore.hpp"
#include "explorer/first_look.hpp"
#include "explorer/history_strategy.hpp"
#include "explorer/pct_strategy.hpp"
#include "explorer/pos_strategy.hpp"
#include "explorer/random_strategy.hpp"
#include "explorer/sample.hpp"
#include "explorer/shared_search.hpp"
#include "explorer/surw_strategy.hpp"

namespace coopcheck::cmd {

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
/// Sampling has no end of its own.
constexpr std::size_t default_samples = 1'000;
/// A bounded search that has run so many schedules without an end, or schedules of so many steps, is left for
/// a look at other places, of so many.
constexpr std::size_t schedules_before_look = 200;
constexpr std::size_t steps_before_look = 5'000;
constexpr std::size_t schedules_of_look = 100;
constexpr std::size_t steps_of_look = 100'000;
/// The portfolio's exhaustive part.
constexpr unsigned portfolio_bound = 2;

using SiteName = std::function<std::string(std::uint64_t)>;

std::unique_ptr<Strategy> make_strategy(StrategyName name, const StrategyOptions& options) {
    switch (name) {
        case StrategyName::Random:
            return std::make_unique<SwitchingStrategy>(
                SwitchingOptions{.seed = options.seed, .switch_probability = options.switch_probability});
        case StrategyName::Uniform:
            return std::make_unique<UniformStrategy>(options.seed);
        case StrategyName::Pct:
            return std::make_unique<PctStrategy>(PctOptions{.seed = options.seed, .depth = options.depth});
        case StrategyName::Pos:
            return std::make_unique<PosStrategy>(options.seed);
        case StrategyName::Surw:
            return std::make_unique<SurwStrategy>(SurwOptions{.seed = options.seed});
        case StrategyName::Default:
        case StrategyName::Classes:
        case StrategyName::ExitBlock:
        case StrategyName::Source:
        case StrategyName::Optimal:
        case StrategyName::History:
        case StrategyName::Auto:
        case StrategyName::Noise:
        case StrategyName::None:
            break;
    }
    throw Error("This strategy does not sample.");
}

SampleOptions sample_options(const SearchOptions& search) {
    SampleOptions options;
    options.budget = search.budget;
    options.thread_step_limit = search.thread_step_limit;
    options.max_findings = search.max_findings;
    options.find_deadlocks = search.find_deadlocks;
    options.judge = search.judge;
    options.spin_patience = search.spin_patience;
    options.spin_limit = search.spin_limit;
    return options;
}

/// Keeps what a search could not finish, for this process to go on with.
class StateInMemory : public SearchKeeper {
  public:
    [[nodiscard]] bool is_due() override { return false; }
    void keep(const SearchState& state) override { state_ = state; }
    [[nodiscard]] const std::optional<SearchState>& state() const { return state_; }
    void forget() { state_.reset(); }

  private:
    std::optional<SearchState> state_;
};

class Searcher {
  public:
    Searcher(const StrategyOptions& strategy, Execution& execution, const SearchOptions& search,
             const SiteName& site_name, SearchListener* listener, const Continuation& continuation,
             const MakeWorkers& make_workers)
        : strategy_(strategy),
          execution_(execution),
          search_(search),
          site_name_(site_name),
          listener_(listener),
          continuation_(continuation),
          make_workers_(make_workers),
          visible_(search.visible) {}

    Exploration run() {
        for (;;) {
            try {
                search();
                exploration_.result.findings = findings_.all();
                return std::move(exploration_);
            } catch (const Refined& refined) {
                std::set<Location> visible(visible_.begin(), visible_.end());
                const std::vector<Location> awaited = execution_.awaited();
                visible.insert(awaited.begin(), awaited.end());
                if (const auto* learnt = dynamic_cast<const LocationsLearnt*>(&refined))
                    visible.insert(learnt->locations.begin(), learnt->locations.end());
                visible_.assign(visible.begin(), visible.end());
                execution_.set_visible(visible_);
                // The program's operations are others now: what was found and said so far is void.
                findings_ = FindingSet{};
                exploration_ = Exploration{};
                if (listener_ != nullptr) listener_->start_over();
            }
        }
    }

  private:
    void search() {
        switch (strategy_.name) {
            case StrategyName::Classes:
            case StrategyName::ExitBlock:
            case StrategyName::Source:
            case StrategyName::Optimal:
                if (may_look() || make_workers_) {
                    exhaust_after_a_start(reduced_search(strategy_.name, search_));
                } else {
                    exhaust(reduced_search(strategy_.name, search_), continuation_);
                }
                break;
            case StrategyName::Auto:
                run_portfolio();
                break;
            default:
                sample_by(strategy_.name, with_default_budget());
                break;
        }
    }

    [[nodiscard]] SearchOptions with_default_budget() const {
        SearchOptions limited = search_;
        const bool is_limited = limited.budget.schedules != unlimited || limited.budget.steps != unlimited ||
                                strategy_.time_limit_s;
        if (!is_limited) limited.budget.schedules = default_samples;
        return limited;
    }

    void exhaust(const SearchOptions& search, const Continuation& continuation) {
        exhaust(search, continuation, listener_);
    }

    void exhaust(const SearchOptions& search, const Continuation& continuation, SearchListener* listener) {
        // Also what was learnt after this search was asked for: whoever watches tells it only once.
        SearchOptions refined = search;
        refined.visible = visible_;
        take(explore(execution_, refined, listener, continuation));
    }

    void take(SearchResult result) {
        visible_ = result.visible;
        add(std::move(result.findings));
        exploration_.complete = result.exhausted && result.gaps.empty();
        exploration_.claims.push_back(result.claim());
        if (result.refinements > 0) {
            exploration_.claims.back() += " The search began again " + std::to_string(result.refinements) +
                                          (result.refinements == 1 ? " time" : " times") +
                                          " when it had learnt more of the program; the numbers are those of "
                                          "the last time.";
        }
        exploration_.result = std::move(result);
    }

    /// A search that does not come to its end soon is interrupted. A bounded one for a look at other places:
    /// it may not come to the first preemption at all, because threads can follow each other in so many
    /// orders. Then it goes on where it was, with those who share it.
    void exhaust_after_a_start(const SearchOptions& search) {
        SearchOptions start = search;
        start.only_on_record = make_workers_ != nullptr;
        // What was learnt in a look makes the search begin again, but not so far from the next one.
        start.budget.schedules = std::min(search.budget.schedules, has_looked_ ? 1 : schedules_before_look);
        ScheduleCounter counter(listener_);
        start.budget.interruption = [&]() -> std::optional<std::string> {
            if (counter.steps() >= steps_before_look) return "left for a look at other places";
            return search.budget.interruption ? search.budget.interruption() : std::nullopt;
        };
        StateInMemory kept;
        exhaust(start, {.keeper = &kept}, &counter);
        const bool was_interrupted = search.budget.interruption && search.budget.interruption().has_value();
        if (exploration_.result.exhausted || was_interrupted || has_enough()) return;
        const std::size_t looked = may_look() ? look() : 0;
        if (has_enough()) return;
        SearchOptions rest = search;
        const auto is_something_left = [&] {
            rest.budget.schedules = remaining(search.budget.schedules, counter.schedules() + looked);
            return rest.budget.schedules > 0;
        };
        if (!is_something_left()) return;
        exploration_.claims.clear();  // the search has one claim for all of its parts
        if (!make_workers_) {
            exhaust(rest, {.from = kept.state()});
            return;
        }
        if (kept.state() && kept.state()->is_on_record) {
            // A record is one: who has it goes on alone, until it is given up.
            SearchOptions alone = rest;
            alone.only_on_record = true;
            const Continuation on_record{.from = kept.state(), .keeper = &kept};
            kept.forget();
            exhaust(alone, on_record, &counter);
            const bool has_left_record = kept.state() && !kept.state()->is_on_record;
            if (!has_left_record || has_enough() || !is_something_left()) return;
            exploration_.claims.clear();
        }
        rest = as_shared(rest);
        const std::unique_ptr<Workers> workers = make_workers_();
        if (workers == nullptr) {
            exhaust(rest, {.from = kept.state()});
            return;
        }
        rest.visible = visible_;
        take(explore_together(execution_, rest, listener_, *workers,
                              kept.state() ? *kept.state() : state_at_start({})));
    }

    [[nodiscard]] bool may_look() const {
        const bool rises =
            strategy_.name == StrategyName::ExitBlock || strategy_.name == StrategyName::Classes;
        return rises && search_.granularity == Granularity::Operations && continuation_.keeper == nullptr &&
               search_.budget.steps == unlimited &&
               search_.budget.schedules > schedules_before_look + 2 * schedules_of_look;
    }

    [[nodiscard]] bool has_enough() const { return findings_.size() >= search_.max_findings; }

    /// The number of schedules that it took.
    std::size_t look() {
        has_looked_ = true;
        SearchOptions few = search_;
        few.budget.schedules = schedules_of_look;
        few.budget.steps = steps_of_look;
        DelayStrategy delays;
        const std::size_t delayed =
            take_if_found(look_first(execution_, delays, sample_options(few), listener_));
        if (has_enough()) return delayed;
        SurwStrategy strategy(SurwOptions{.seed = strategy_.seed});
        return delayed + take_if_found(sample(execution_, strategy, sample_options(few), listener_));
    }

    /// The number of schedules.
    std::size_t take_if_found(SampleResult result) {
        const std::size_t schedules = result.schedules();
        if (!result.findings.empty()) {
            exploration_.claims.clear();  // it was not the limit of the first part that ended the search
            take(std::move(result));
        }
        return schedules;
    }

    void add(std::vector<Finding> findings) {
        for (Finding& finding : findings) {
            findings_.set_visible(finding.visible);
            findings_.add(std::move(finding));
        }
    }

    void sample_by(StrategyName name, const SearchOptions& search) {
        if (name == StrategyName::History) {
            HistoryStrategy strategy({.seed = strategy_.seed, .site_name = site_name_});
            const HistoryFile file(strategy_.history_file);
            file.load(strategy);
            take(sample_with(strategy, search));
            file.save(strategy);
            return;
        }
        const auto strategy = make_strategy(name, strategy_);
        take(sample_with(*strategy, search));
    }

    SampleResult sample_with(Strategy& strategy, const SearchOptions& search) {
        return sample(execution_, strategy, sample_options(search), listener_);
    }

    void take(SampleResult result) {
        for (Finding& finding : result.findings) finding.visible = visible_;
        add(std::move(result.findings));
        schedules_ += result.schedules();
        steps_ += result.counts.steps;
        exploration_.claims.push_back(result.claim() + " (seed " + std::to_string(strategy_.seed) + ")");
        for (std::string& condition : result.conditions) {
            exploration_.result.conditions.push_back(std::move(condition));
        }
    }

    void run_portfolio() {
        using Clock = std::chrono::steady_clock;
        const Clock::time_point start = Clock::now();
        SearchOptions bounded = search_;
        bounded.bound = std::min(portfolio_bound, search_.bound.value_or(portfolio_bound));
        bounded.granularity = Granularity::Operations;
        exhaust(bounded, {});
        const SearchResult& first = exploration_.result;
        const bool is_all = first.exhausted && first.bound_left_nothing;
        const bool enough = findings_.size() >= search_.max_findings;
        const bool stopped = search_.budget.interruption && search_.budget.interruption().has_value();
        if (is_all || enough || stopped) return;
        exploration_.complete = false;
        const SearchOptions limited = with_default_budget();
        const auto spent = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
        constexpr std::array names{StrategyName::Surw, StrategyName::Pct, StrategyName::Pos,
                                   StrategyName::History};
        std::size_t schedules_left = remaining(limited.budget.schedules, first.counts.paths());
        std::size_t steps_left = remaining(limited.budget.steps, first.counts.steps);
        for (std::size_t nth = 0; nth < names.size(); ++nth) {
            const std::size_t shares = names.size() - nth;
            SearchOptions share = limited;
            share.budget.schedules =
                schedules_left == unlimited ? unlimited : (schedules_left + shares - 1) / shares;
            share.budget.steps = steps_left == unlimited ? unlimited : (steps_left + shares - 1) / shares;
            const double until =
                spent() + (strategy_.time_limit_s.value_or(0) - spent()) / static_cast<double>(shares);
            share.budget.interruption = [&, until]() -> std::optional<std::string> {
                if (strategy_.time_limit_s && spent() >= until) return "its share of the time was used up";
                return limited.budget.interruption ? limited.budget.interruption() : std::nullopt;
            };
            if (share.budget.schedules == 0 || share.budget.steps == 0) return;
            schedules_ = steps_ = 0;
            sample_by(names[nth], share);
            schedules_left = remaining(schedules_left, schedules_);
            steps_left = remaining(steps_left, steps_);
            if (findings_.size() >= search_.max_findings) return;
        }
    }

    const StrategyOptions& strategy_;
    Execution& execution_;
    const SearchOptions& search_;
    const SiteName& site_name_;
    SearchListener* listener_;
    const Continuation& continuation_;
    const MakeWorkers& make_workers_;
    /// The memory whose accesses are operations.
    std::vector<Location> visible_;
    FindingSet findings_;
    Exploration exploration_;
    bool has_looked_ = false;
    /// Of the last sampling.
    std::size_t schedules_ = 0;
    std::size_t steps_ = 0;
};

}  // namespace

namespace {

void declare_noise(CLI::App& command, StrategyOptions& options) {
    const std::map<std::string, NoiseKind> kinds = {
        {"sleep", NoiseKind::Sleep}, {"yield", NoiseKind::Yield}, {"priority", NoiseKind::Priority}};
    command
        .add_option("--noise", options.noise.kind, "How the strategy noise disturbs a thread (default sleep)")
        ->transform(CLI::Transformer(kinds).description("sleep|yield|priority"))
        ->envname("COOPCHECK_NOISE");
    const std::map<std::string, NoiseModel> models = {
        {"none", NoiseModel::None}, {"functions", NoiseModel::Functions}, {"pairs", NoiseModel::Pairs}};
    command
        .add_option("--noise-model", options.noise.model,
                    "Where the strategy noise prefers to disturb: anywhere (none, the default), in functions "
                    "that were not interrupted yet, or not by those that other threads are in (pairs)")
        ->transform(CLI::Transformer(models).description("none|functions|pairs"))
        ->envname("COOPCHECK_NOISE_MODEL");
    command
        .add_option("--noise-probability", options.noise.probability,
                    "How likely the strategy noise disturbs an operation (default 0.2)")
        ->check(CLI::Range(0.0, 1.0))
        ->envname("COOPCHECK_NOISE_PROBABILITY");
    command
        .add_option("--run-time", options.run_time_s,
                    "Seconds after which a run of the strategies noise and none is killed (default 10)")
        ->check(CLI::PositiveNumber)
        ->envname("COOPCHECK_RUN_TIME");
}

}  // namespace

void declare_strategy(CLI::App& command, StrategyOptions& options) {
    const std::map<std::string, StrategyName> names = {
        {"classes", StrategyName::Classes}, {"exitblock", StrategyName::ExitBlock},
        {"source", StrategyName::Source},   {"optimal", StrategyName::Optimal},
        {"random", StrategyName::Random},   {"uniform", StrategyName::Uniform},
        {"history", StrategyName::History}, {"pct", StrategyName::Pct},
        {"pos", StrategyName::Pos},         {"surw", StrategyName::Surw},
        {"auto", StrategyName::Auto},       {"noise", StrategyName::Noise},
        {"none", StrategyName::None},
    };
    command
        .add_option(
            "--strategy", options.name,
            "classes: one schedule of each class of those that differ only in the order of independent "
            "operations, those that need the fewest preemptions first (the default). optimal: the same "
            "without a bound "
            "and exactly one of each (among jobs: as source); source: with less memory and some schedules "
            "begun in vain. exitblock: "
            "every "
            "schedule, told apart by the order of blocks. The others sample: "
            "random switches with a probability, uniform takes any thread, history avoids decisions taken "
            "before, pct, pos and surw are the published ones. "
            "auto: bounds 0 to 2, then surw, pct, pos and history. noise: threads run freely in parallel and "
            "are disturbed at their operations; none: the program runs as it is, for comparison")
        ->transform(CLI::Transformer(names).description(
            "classes|exitblock|source|optimal|random|uniform|history|pct|pos|surw|auto|noise|none"))
        ->envname("COOPCHECK_STRATEGY");
    command.add_option("--seed", options.seed, "Of the strategies that sample (default 1)")
        ->envname("COOPCHECK_SEED");
    command
        .add_option("--switch-probability", options.switch_probability,
                    "Of the strategy random (default 1/8)")
        ->check(CLI::Range(0.0, 0.999))
        ->envname("COOPCHECK_SWITCH_PROBABILITY");
    command.add_option("--depth", options.depth, "Of the bugs that pct looks for (default 3)")
        ->check(CLI::PositiveNumber)
        ->envname("COOPCHECK_DEPTH");
    command
        .add_option("--history", options.history_file,
                    "The file in which the strategy history remembers its decisions for later searches")
        ->envname("COOPCHECK_HISTORY");
    declare_noise(command, options);
}

SearchOptions reduced_search(StrategyName name, SearchOptions search) {
    switch (name) {
        case StrategyName::Classes:
            search.reduction = Reduction::Source;
            return search;
        case StrategyName::Source:
        case StrategyName::Optimal:
            // Bounds that rise until nothing is left are the default; without them it is the same proof.
            if (search.bound == std::numeric_limits<unsigned>::max()) search.bound.reset();
            search.reduction = name == StrategyName::Source ? Reduction::Source : Reduction::Optimal;
            return search;
        default:
            return search;
    }
}

Exploration search_by(const StrategyOptions& strategy, Execution& execution, const SearchOptions& search,
                      const std::function<std::string(std::uint64_t)>& site_name, SearchListener* listener,
                      const Continuation& continuation, const MakeWorkers& make_workers) {
    return Searcher(strategy, execution, search, site_name, listener, continuation, make_workers).run();
}

}  // namespace coopcheck::cmd
