#include "explorer/race_watch.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "core/error.hpp"
#include "explorer/random_stream.hpp"
#include "explorer/storage.hpp"
#include "explorer/trail.hpp"

namespace coopcheck {

namespace {

/// To begin a schedule at some place, and to end it, in stops of the program.
constexpr std::size_t cost_of_schedule = 30;
/// Of a step with its accesses watched, beside those: the memory of another thread is closed.
constexpr std::size_t cost_of_watched_step = 15;
/// Of the schedules with each number of preemptions, so many are watched whatever they cost.
constexpr unsigned always_watched = 2;
/// Schedules with so many are no bound's but of a look at other places, which shows most of all: the same
/// holds for them as long as watching takes no longer than this beyond the search, about half a second.
constexpr unsigned many_preemptions = 4;
constexpr std::size_t cost_of_looks = 80'000;
/// The same holds for schedules that switch where none has that was watched: threads come to other code
/// there.
constexpr std::size_t cost_of_new_places = 60'000;
/// What watching may cost beside two thirds of what the search costs, the look before it included: less than
/// a tenth of a second.
constexpr std::size_t free_cost = 6'000;

/// Before the search, schedules made by chance are watched until so many in a row show nothing new.
constexpr unsigned looks_in_vain = 2;
constexpr double switch_probability = 0.25;

bool is_legal(const Execution& execution, Choice choice) {
    const auto parked = execution.parked();
    const auto entry = std::find_if(parked.begin(), parked.end(), [&](const ParkedThread& candidate) {
        return candidate.thread == choice.thread;
    });
    if (entry == parked.end()) {
        return false;
    }
    if (choice.variant == Variant::timeout() &&
        execution.model().can_time_out(choice.thread, entry->operation)) {
        return true;
    }
    const std::vector<Variant> variants = execution.model().options(choice.thread, entry->operation);
    return std::find(variants.begin(), variants.end(), choice.variant) != variants.end();
}

/// Watches as long as it lives.
class WatchEvery {
  public:
    WatchEvery(Execution& execution, Watching before) : execution_(execution), before_(before) {
        execution_.set_watching(Watching::Every);
    }
    ~WatchEvery() { execution_.set_watching(before_); }
    WatchEvery(const WatchEvery&) = delete;
    WatchEvery& operator=(const WatchEvery&) = delete;

  private:
    Execution& execution_;
    Watching before_;
};

/// The thread that ran last if it can go on and does not only look again, otherwise the next one in a circle.
std::optional<Choice> next_without_preemption(const Execution& execution, ThreadId last, bool last_waits) {
    const auto parked = execution.parked();
    std::vector<Choice> possible;
    for (const ParkedThread& entry : parked) {
        const std::vector<Variant> variants = execution.model().options(entry.thread, entry.operation);
        if (!variants.empty()) {
            possible.push_back({entry.thread, variants.front()});
        }
    }
    if (possible.empty()) {
        for (const ParkedThread& entry : parked) {
            if (execution.model().can_time_out(entry.thread, entry.operation)) {
                return Choice{entry.thread, Variant::timeout()};
            }
        }
        return std::nullopt;
    }
    const auto same = std::find_if(possible.begin(), possible.end(),
                                   [&](const Choice& choice) { return choice.thread == last; });
    if (same != possible.end() && !last_waits) {
        return *same;
    }
    const auto later = std::find_if(possible.begin(), possible.end(), [&](const Choice& choice) {
        return last.valid() && choice.thread > last;
    });
    return later == possible.end() ? possible.front() : *later;
}

/// Any thread that can go on; nothing if none can.
std::optional<Choice> next_by_chance(const Execution& execution, RandomStream& random) {
    std::vector<Choice> possible;
    for (const ParkedThread& entry : execution.parked()) {
        for (const Variant variant : execution.model().options(entry.thread, entry.operation)) {
            possible.push_back({entry.thread, variant});
        }
    }
    if (possible.empty()) {
        return next_without_preemption(execution, {}, false);
    }
    return possible[random.below(possible.size())];
}

}  // namespace

void RaceWatch::keep(const Race& race, const Schedule& made) {
    const auto places = std::minmax(race.first.access.site, race.second.access.site);
    Finding finding;
    finding.kind = FindingKind::Race;
    finding.thread = race.second.thread;
    const Access& access = race.second.access;
    finding.operation.kind = !access.write      ? OpKind::Read
                             : access.also_read ? OpKind::ReadWrite
                                                : OpKind::Write;
    finding.operation.location = access.location;
    finding.operation.size = access.size;
    finding.operation.site = access.site;
    finding.confirmed = !race.ordered_here;
    finding.race = std::make_shared<const Race>(race);
    finding.schedule = made;
    finding.visible.assign(visible_.begin(), visible_.end());
    const auto [position, is_new] = races_.try_emplace(places, KnownRace{finding, beginnings_});
    if (is_new) {
        return;
    }
    KnownRace& known = position->second;
    const bool is_newer = known.beginning != beginnings_ && known.finding.confirmed == finding.confirmed;
    if (is_newer || (!known.finding.confirmed && finding.confirmed)) {
        known = {std::move(finding), beginnings_};
    }
}

void RaceWatch::make_step(Choice choice, RaceDetector& detector, Schedule& made) {
    const StepResult step = execution_.step(choice.thread, choice.variant);
    made.push_back(choice);
    watch_cost_ += cost_of_watched_step;
    const std::size_t before = seen_.races.size();
    detector.step(choice.thread, step, execution_.model(), seen_);
    if (options_.storage != nullptr) {
        options_.storage->step(choice.thread, step, execution_.model());
    }
    steps_of_races_.resize(steps_of_races_.size() + seen_.races.size() - before, made.size());
}

void RaceWatch::begin_run() {
    execution_.restart();
    seen_ = {};
    steps_of_races_.clear();
    if (options_.storage != nullptr) {
        options_.storage->begin_run();
    }
}

void RaceWatch::know(const std::vector<Location>& visible) {
    if (!is_on() || !makes_visible()) {
        return;
    }
    visible_.insert(visible.begin(), visible.end());
    learnt_.insert(visible.begin(), visible.end());
    execution_.set_visible(std::vector<Location>(visible_.begin(), visible_.end()));
}

void RaceWatch::believe(const Schedule& made) {
    if (options_.storage != nullptr) {
        options_.storage->believe(seen_.racy, seen_.atomic);
    }
    for (std::size_t nth = 0; nth < seen_.races.size(); ++nth) {
        const auto steps = static_cast<std::ptrdiff_t>(steps_of_races_[nth]);
        keep(seen_.races[nth], Schedule(made.begin(), made.begin() + steps));
    }
    if (options_.points == Points::Sync) {
        return;
    }
    learnt_.insert(seen_.racy.begin(), seen_.racy.end());
    learnt_.insert(seen_.atomic.begin(), seen_.atomic.end());
    if (options_.points == Points::AllShared) {
        learnt_.insert(seen_.shared.begin(), seen_.shared.end());
    }
}

void RaceWatch::watch(const Schedule& schedule) {
    const WatchEvery watching(execution_, options_.search_watches);
    const std::size_t cost_before = execution_.watch_cost();
    Schedule made;
    do {
        begin_run();
        watch_cost_ += cost_of_schedule;
        RaceDetector detector;
        made.clear();
        for (const Choice& choice : schedule) {
            if (!is_legal(execution_, choice)) {
                throw Error(
                    "The program is not deterministic: a schedule could not be watched a second time, step " +
                    std::to_string(made.size() + 1) +
                    " is not possible any more; look for uninitialized memory and inputs that change.");
            }
            make_step(choice, detector, made);
        }
    } while (execution_.watched_too_late());
    watch_cost_ += execution_.watch_cost() - cost_before;
    believe(made);
}

bool RaceWatch::run_first(RandomStream* random) {
    constexpr std::size_t most_steps = 20'000;
    const WatchEvery watching(execution_, options_.search_watches);
    const std::size_t cost_before = execution_.watch_cost();
    Schedule made;
    do {
        begin_run();
        RaceDetector detector;
        made.clear();
        ThreadId last;
        bool last_waits = false;
        while (!execution_.parked().empty() && made.size() < most_steps) {
            if (options_.interruption && options_.interruption()) {
                return false;
            }
            const bool switches = random != nullptr && random->chance(switch_probability);
            const auto next = switches ? next_by_chance(execution_, *random)
                                       : next_without_preemption(execution_, last, last_waits);
            if (!next) {
                break;  // a deadlock, for the search to report
            }
            const Operation operation = execution_.parked_thread(next->thread).operation;
            make_step(*next, detector, made);
            last = next->thread;
            last_waits =
                operation.kind == OpKind::Yield || operation.kind == OpKind::Sleep || operation.value == 1;
        }
    } while (execution_.watched_too_late());
    watch_cost_ += execution_.watch_cost() - cost_before;
    believe(made);
    return true;
}

std::vector<Location> RaceWatch::take_learnt() {
    std::vector<Location> fresh;
    std::set_difference(learnt_.begin(), learnt_.end(), visible_.begin(), visible_.end(),
                        std::back_inserter(fresh));
    visible_.insert(fresh.begin(), fresh.end());
    return fresh;
}

void RaceWatch::look_until_nothing_is_new() {
    RandomStream random(1);
    // Threads come to other places where they disturb each other, and what is learnt there later makes the
    // search begin again.
    unsigned in_vain = 0;
    for (bool by_chance = false;;) {
        bool again = false;
        try {
            if (!run_first(by_chance ? &random : nullptr)) {
                return;
            }
            again = execution_.missed_operations();
        } catch (const Refined&) {
            const std::vector<Location> awaited = execution_.awaited();
            learnt_.insert(awaited.begin(), awaited.end());
            again = true;
        }
        if (take_learnt().empty() && !again) {
            in_vain += by_chance ? 1 : 0;
            if (in_vain == looks_in_vain || watch_cost_ > free_cost) {
                return;
            }
            by_chance = true;
            continue;
        }
        in_vain = 0;
        beginnings_ += 1;
        execution_.set_visible(visible());
    }
}

std::vector<Location> RaceWatch::look_first() {
    if (!is_on()) {
        return {};
    }
    try {
        look_until_nothing_is_new();
    } catch (const Error& error) {
        give_up(error);
    }
    return visible();
}

void RaceWatch::give_up(const Error& error) {
    if (options_.races == RaceSampling::Every) {
        throw error;
    }
    trouble_ = error.what();
}

bool RaceWatch::is_wanted(const PathReport& report) {
    if (options_.races == RaceSampling::Every) {
        return true;
    }
    if (!trouble_.empty()) {
        return false;
    }
    const unsigned preemptions = count_preemptions(report.steps);
    const bool found = report.end == PathEnd::Deadlocked || report.end == PathEnd::Livelocked ||
                       (report.run_end != nullptr && (report.run_end->kind == RunEnd::Kind::Failed ||
                                                      report.run_end->kind == RunEnd::Kind::Misused));
    unsigned& with = watched_with_[preemptions];
    const bool is_first_of_its_kind = with < always_watched && (preemptions < many_preemptions ||
                                                                watch_cost_ <= search_cost_ + cost_of_looks);
    const bool is_new = watch_cost_ <= search_cost_ + cost_of_new_places && switches_anew(report.steps);
    if (is_first_of_its_kind || found || is_new || watch_cost_ <= search_cost_ * 2 / 3 + free_cost) {
        with += 1;
        return true;
    }
    return false;
}

bool RaceWatch::switches_anew(const std::vector<StepRecord>& steps) const {
    for (std::size_t index = 1; index < steps.size(); ++index) {
        const auto known = switches_.find(steps[index - 1].operation.site);
        if (steps[index].preempting &&
            (known == switches_.end() || !known->second.contains(steps[index].operation.site))) {
            return true;
        }
    }
    return false;
}

void RaceWatch::path(const PathReport& report) {
    if (next_ != nullptr) {
        next_->path(report);
    }
    if (!is_on() || report.end == PathEnd::Abandoned || report.steps.empty()) {
        return;
    }
    paths_ += 1;
    search_cost_ += report.steps.size() + cost_of_schedule;
    if (is_wanted(report)) {
        try {
            watch(to_schedule(report.steps));
            watched_ += 1;
            for (std::size_t index = 1; index < report.steps.size(); ++index) {
                if (report.steps[index].preempting) {
                    switches_[report.steps[index - 1].operation.site].insert(
                        report.steps[index].operation.site);
                }
            }
        } catch (const Error& error) {
            give_up(error);
        }
    }
    std::vector<Location> fresh = take_learnt();
    if (!fresh.empty() || execution_.missed_operations()) {
        throw LocationsLearnt(std::move(fresh));
    }
}

void RaceWatch::go_on_from(const WatchState& state) {
    paths_ = state.paths;
    watched_ = state.watched;
    watched_with_ = state.watched_with;
    switches_ = state.switches;
    search_cost_ = state.search_cost;
    watch_cost_ = state.watch_cost;
    visible_ = state.visible;
    learnt_ = state.visible;
    for (const Finding& finding : state.races) {
        if (finding.race) {
            const auto places =
                std::minmax(finding.race->first.access.site, finding.race->second.access.site);
            races_.insert_or_assign(places, KnownRace{finding, beginnings_});
        }
    }
}

WatchState RaceWatch::state() const {
    return {paths_, watched_, watched_with_, switches_, search_cost_, watch_cost_, visible_, races()};
}

void RaceWatch::start_over() {
    beginnings_ += 1;
    // What the search knows without us is visible, too.
    for (const Location location : execution_.awaited()) {
        learnt_.insert(location);
        visible_.insert(location);
    }
    paths_ = 0;
    watched_ = 0;
    watched_with_.clear();
    if (next_ != nullptr) {
        next_->start_over();
    }
}

std::size_t RaceWatch::confirmed() const {
    return static_cast<std::size_t>(std::count_if(
        races_.begin(), races_.end(), [](const auto& entry) { return entry.second.finding.confirmed; }));
}

std::vector<Finding> RaceWatch::races() const {
    std::vector<Finding> all;
    for (const auto& [places, known] : races_) {
        all.push_back(known.finding);
    }
    return all;
}

}  // namespace coopcheck
