#include "explorer/side_by_side.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "core/access.hpp"
#include "core/race.hpp"
#include "explorer/explore.hpp"
#include "explorer/race_state.hpp"
#include "explorer/walk.hpp"

namespace coopcheck {

namespace {

/// How often the first thread's coming to its place is tried, the last time first.
constexpr std::size_t most_holds = 3;
constexpr unsigned search_bound = 2;
constexpr std::size_t search_schedules = 300;

/// Runs the schedule of a race with its bytes visible.
class Driver {
  public:
    Driver(Execution& execution, const Finding& race, const std::set<Location>& fresh)
        : walk_(execution), finding_(race), race_(*race.race), fresh_(fresh) {}

    /// With the first thread stopped when it comes to its access for the nth time (0: never).
    std::optional<Finding> run(std::size_t hold) {
        hold_ = hold;
        arrivals_ = 0;
        stopped_.clear();
        found_.reset();
        over_ = false;
        walk_.restart();
        for (const Choice& choice : finding_.schedule) {
            follow(choice);
            if (over_ || found_) {
                break;
            }
        }
        return std::move(found_);
    }

    /// How often the first thread came to its access in the last run.
    [[nodiscard]] std::size_t arrivals() const { return arrivals_; }

  private:
    [[nodiscard]] const ParkedThread* parked(ThreadId thread) const {
        const auto all = walk_.execution().parked();
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const ParkedThread& entry) { return entry.thread == thread; });
        return found == all.end() ? nullptr : &*found;
    }

    /// An operation only because the race's bytes are visible: no choice of the schedule is about it.
    [[nodiscard]] bool is_fresh(const Operation& operation) const {
        if (!is_access(operation) || operation.location.kind() != Location::Kind::Memory) {
            return false;
        }
        const auto first = fresh_.lower_bound(operation.location);
        const bool touches =
            first != fresh_.end() && first->value() < operation.location.value() + operation.size;
        const auto is_inside = [&](const Location& known) {
            return known.value() >= operation.location.value() &&
                   known.value() < operation.location.value() + operation.size;
        };
        return touches && std::none_of(finding_.visible.begin(), finding_.visible.end(), is_inside);
    }

    /// Whether the thread is stopped from here on.
    bool stops(ThreadId thread) {
        const ParkedThread* entry = parked(thread);
        if (entry == nullptr || thread != race_.first.thread || !is_access(entry->operation) ||
            entry->operation.site != race_.first.access.site) {
            return false;
        }
        arrivals_ += 1;
        if (arrivals_ == hold_) {
            stopped_.insert(thread);
        }
        return arrivals_ == hold_;
    }

    void look() { found_ = race_in_state(walk_.execution(), race_); }

    void step(Choice choice) {
        over_ = walk_.step(choice).end.has_value();
        if (!over_) {
            look();
        }
        if (found_) {
            found_->schedule = walk_.schedule();
            found_->preemptions = static_cast<unsigned>(walk_.cost().preemptions);
        }
    }

    void follow(Choice choice) {
        const ThreadId thread = choice.thread;
        if (stopped_.contains(thread) || (parked(thread) != nullptr && stops(thread))) {
            return;
        }
        if (!walk_.is_legal(choice)) {
            stopped_.insert(thread);
            return;
        }
        step(choice);
        // What belonged to the step when its accesses were no operations.
        while (!over_ && !found_ && parked(thread) != nullptr && is_fresh(parked(thread)->operation)) {
            if (stops(thread)) {
                return;
            }
            step({thread, Variant::normal()});
        }
    }

    Walk walk_;
    const Finding& finding_;
    const Race& race_;
    const std::set<Location>& fresh_;
    std::size_t hold_ = 0;
    std::size_t arrivals_ = 0;
    std::set<ThreadId> stopped_;
    std::optional<Finding> found_;
    bool over_ = false;
};

std::optional<Finding> search_for(Execution& execution, const Finding& race,
                                  const std::vector<Location>& visible, const SideBySideOptions& options) {
    SearchOptions search = options.search;
    search.reduction = Reduction::Blocks;
    search.granularity = Granularity::Operations;
    search.bound = search_bound;
    search.wanted = race;
    search.visible = visible;
    search.max_findings = std::numeric_limits<std::size_t>::max();
    search.budget = {};
    search.budget.schedules = search_schedules;
    search.budget.interruption = [&]() -> std::optional<std::string> {
        return options.should_stop && options.should_stop() ? std::optional<std::string>{"stopped"}
                                                            : std::nullopt;
    };
    SearchResult result = explore(execution, search);
    if (result.wanted) {
        result.wanted->visible = std::move(result.visible);
    }
    return std::move(result.wanted);
}

}  // namespace

std::optional<Finding> put_side_by_side(Execution& execution, const Finding& race,
                                        const SideBySideOptions& options) {
    const Race& sides = *race.race;
    const CommonBytes bytes = common_bytes(sides.first.access, sides.second.access);
    const bool can_be_operations = sides.first.access.location.kind() == Location::Kind::Memory &&
                                   !sides.first.access.freed && !sides.second.access.freed && bytes.any();
    if (!can_be_operations) {
        return std::nullopt;
    }
    std::set<Location> all(race.visible.begin(), race.visible.end());
    std::set<Location> fresh;
    for (std::uint64_t byte = bytes.start; byte < bytes.end; ++byte) {
        if (all.insert(Location::memory(byte)).second) {
            fresh.insert(Location::memory(byte));
        }
    }
    const std::vector<Location> visible(all.begin(), all.end());
    execution.set_visible(visible);
    Driver driver(execution, race, fresh);
    std::optional<Finding> found = driver.run(0);
    const std::size_t arrivals = driver.arrivals();
    for (std::size_t back = 0; !found && back < std::min(arrivals, most_holds); ++back) {
        found = driver.run(arrivals - back);
    }
    if (found) {
        found->visible = visible;
        return found;
    }
    return search_for(execution, race, visible, options);
}

}  // namespace coopcheck
