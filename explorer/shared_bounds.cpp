#include "explorer/shared_bounds.hpp"

#include <algorithm>
#include <numeric>

#include "core/check.hpp"
#include "explorer/search_file.hpp"
#include "explorer/search_gaps.hpp"
#include "explorer/search_part.hpp"

namespace coopcheck {

namespace {

bool sleeps(const SavedClassNode& place, const Move& move) {
    return std::any_of(place.sleep.begin(), place.sleep.end(),
                       [&](const Move& other) { return other.is(move.thread, move.variant); });
}

/// It was begun from there.
void note_branch(SavedClassNode& place, const Move& move) {
    if (!sleeps(place, move)) {
        place.sleep.push_back(move);
        place.explored += 1;
    }
}

}  // namespace

void SharedBounds::run(const SearchState& from) {
    COOPCHECK_CHECK(!from.is_on_record, "a record cannot be shared");
    take_over(from);
    all_.resize(workers_.start(execution_.knowledge(), options_.budget.schedules));
    for (;;) {
        take_up_later();
        explore_bound();
        count_bound();
        if (!stop_.empty()) {
            if (!has_enough_ && !start_over_) add_held_findings(*options_.bound);
            return;
        }
        finished_bound_ = bound_;
        if (places_.empty() || bound_ == *options_.bound) {
            add_held_findings(*options_.bound);
            return;
        }
        bound_ += 1;
        add_held_findings(bound_);
        has_enough_ = gathered_.findings.size() >= options_.max_findings;
        if (has_enough_) stop(reason_of_enough(options_));
    }
}

void SharedBounds::take_over(const SearchState& from) {
    gathered_.take_over(from);
    bound_ = from.bound;
    finished_bound_ = from.finished_bound;
    paths_at_bound_ = from.paths_at_bound;
    held_ = from.held;
    add_places(from.tree);
    // What begins with the step to a place is left to that place.
    for (const auto& [number, place] : places_) {
        if (place->before != nullptr) note_branch(place->before->known, *place->known.came_by);
    }
}

SharedBounds::Place* SharedBounds::add_after(Place* before, const SavedClassNode& known) {
    auto place = std::make_unique<Place>();
    Place* made = place.get();
    made->number = next_number_++;
    made->before = before;
    made->depth = before == nullptr ? 0 : before->depth + 1;
    made->known = known;
    (before == nullptr ? root_ : before->next.emplace_back()) = made;
    places_.emplace(made->number, std::move(place));
    list(*made);
    return made;
}

void SharedBounds::remove(Place* place) {
    work_.erase({place->depth, place->number});
    if (place->before == nullptr) {
        root_ = nullptr;
    } else {
        std::erase(place->before->next, place);
    }
    places_.erase(place->number);
}

void SharedBounds::remove_if_done(Place* place) {
    while (place != nullptr && place->users == 0 && place->next.empty() && !has_work(*place) &&
           place->known.later.empty()) {
        Place* before = place->before;
        remove(place);
        place = before;
    }
}

void SharedBounds::add_places(const std::vector<SavedClassNode>& tree) {
    std::vector<Place*> all;
    for (const SavedClassNode& saved : tree) {
        Place* before = saved.before ? all[*saved.before] : nullptr;
        Place* known = before == nullptr ? root_ : find_after(*before, *saved.came_by);
        all.push_back(known != nullptr ? known : add_after(before, saved));
    }
}

SharedBounds::Place* SharedBounds::find_after(const Place& before, const Move& move) {
    const auto place = std::find_if(before.next.begin(), before.next.end(), [&](const Place* next) {
        return next->known.came_by->is(move.thread, move.variant);
    });
    return place == before.next.end() ? nullptr : *place;
}

bool SharedBounds::has_work(const Place& place) {
    return place.waits || place.known.is_fresh || !place.known.todo.empty();
}

void SharedBounds::list(Place& place) {
    const std::pair key{place.depth, place.number};
    if (has_work(place) && !place.waits) {
        work_.emplace(key, &place);
    } else {
        work_.erase(key);
    }
}

void SharedBounds::take_up_later() {
    for (const auto& [number, place] : places_) {
        std::vector<LaterMove>& later = place->known.later;
        for (const LaterMove& entry : later) {
            if (entry.preemptions <= bound_) place->known.todo.insert_alone(entry.move);
        }
        std::erase_if(later, [&](const LaterMove& entry) { return entry.preemptions <= bound_; });
        list(*place);
    }
}

void SharedBounds::explore_bound() {
    for (;;) {
        give_work();
        if (std::none_of(all_.begin(), all_.end(), [](const Worker& worker) { return worker.is_busy; }))
            return;
        ask_for_parts();
        hear(workers_.next());
    }
}

void SharedBounds::count_bound() {
    const std::size_t before =
        std::accumulate(paths_at_bound_.begin(), paths_at_bound_.end(), std::size_t{0});
    paths_at_bound_.push_back(gathered_.counts.paths() - before);
}

void SharedBounds::add_held_findings(unsigned most) {
    gathered_.findings.set_visible(gathered_.visible);
    for (const Finding& finding : held_) {
        if (finding.preemptions <= most) gathered_.findings.add(finding);
    }
    std::erase_if(held_, [&](const Finding& finding) { return finding.preemptions <= most; });
}

void SharedBounds::give_work() {
    for (std::size_t worker = 0; worker < all_.size() && stop_.empty(); ++worker) {
        while (!all_[worker].is_lost && !all_[worker].is_busy) {
            if (work_.empty()) return;
            give(worker, *work_.begin()->second);
        }
    }
}

void SharedBounds::give(std::size_t number, Place& place) {
    Worker& worker = all_[number];
    // All that begins at a place from which nothing was chosen yet belongs to whoever gets it.
    const bool is_whole = place.known.is_fresh || !place.known.first;
    std::optional<WakeupTree::Branch> branch;
    if (!is_whole) {
        branch = place.known.todo.take();
        if (sleeps(place.known, branch->move)) {
            list(place);
            remove_if_done(&place);
            return;
        }
    }
    worker.places.clear();
    for (Place* on_way = &place; on_way != nullptr; on_way = on_way->before) worker.places.push_back(on_way);
    std::reverse(worker.places.begin(), worker.places.end());
    SearchState part;
    part.assumptions = gathered_.assumptions;
    part.bound = bound_;
    for (Place* on_way : worker.places) {
        SavedClassNode saved = on_way->known;
        on_way->known.wishes.clear();  // they are now this worker's to ask for
        if (!part.tree.empty()) saved.before = static_cast<std::uint32_t>(part.tree.size() - 1);
        part.tree.push_back(std::move(saved));
    }
    part.at = static_cast<std::uint32_t>(part.tree.size() - 1);
    if (is_whole) {
        worker.places.pop_back();
        remove(&place);
    } else {
        part.tree.back().todo.put_back(std::move(*branch));
        place.waits = true;
        list(place);
    }
    part.own_from = worker.places.size();
    for (Place* on_way : worker.places) on_way->users += 1;
    worker.is_busy = true;
    worker.is_asked = false;
    workers_.begin(number, write_part(execution_.knowledge(), std::move(part)), {});
}

void SharedBounds::ask_for_parts() {
    const bool has_idle = std::any_of(
        all_.begin(), all_.end(), [](const Worker& worker) { return !worker.is_lost && !worker.is_busy; });
    if (!has_idle || !stop_.empty()) return;
    for (std::size_t number = 0; number < all_.size(); ++number) {
        Worker& worker = all_[number];
        if (!worker.is_busy || worker.is_asked) continue;
        worker.is_asked = true;
        workers_.ask_for_part(number);
    }
}

SearchState SharedBounds::read(const std::string& text) {
    SavedSearch saved = read_search(text, execution_.names());
    execution_.know(saved.knowledge);
    return std::move(saved.state);
}

void SharedBounds::hear(const WorkerEvent& event) {
    switch (event.kind) {
        case WorkerEvent::Kind::Gave:
            take_places(all_[event.worker], read(event.text));
            break;
        case WorkerEvent::Kind::Told:
            for (const ClassNews& news : read(event.text).news) take_news(all_[event.worker], news);
            break;
        case WorkerEvent::Kind::Ended:
            end_part(event.worker, event);
            break;
        case WorkerEvent::Kind::Lost:
            all_[event.worker].is_lost = true;
            all_[event.worker].is_busy = false;
            stop(event.text);
            break;
        case WorkerEvent::Kind::Interrupted:
            stop(event.text);
            break;
    }
}

void SharedBounds::take_places(Worker& worker, const SearchState& part) {
    worker.is_asked = false;
    // The last one is where the worker goes on.
    for (std::size_t index = 0; index + 1 < part.tree.size(); ++index) {
        Place* place = add_after(worker.places.empty() ? nullptr : worker.places.back(), part.tree[index]);
        place->users += 1;
        worker.places.push_back(place);
    }
}

void SharedBounds::take_news(Worker& worker, const ClassNews& news) {
    COOPCHECK_CHECK(news.at < worker.places.size(), "a part of a search tells of a place that is its own");
    Place& place = *worker.places[news.at];
    const bool is_answer = news.kind == ClassNews::Kind::Began || news.kind == ClassNews::Kind::Impossible;
    if (place.waits && !is_answer) {
        place.put_off.push_back(news);
        return;
    }
    insert(place, news);
    if (is_answer) {
        for (const ClassNews& waiting : std::exchange(place.put_off, {})) insert(place, waiting);
    }
    list(place);
}

void SharedBounds::insert(Place& place, const ClassNews& news) {
    SavedClassNode& known = place.known;
    switch (news.kind) {
        case ClassNews::Kind::Began:
            place.waits = false;
            note_branch(known, news.moves.front());
            break;
        case ClassNews::Kind::Impossible:
            place.waits = false;
            break;
        case ClassNews::Kind::Reversal:
            break;  // only of searches without a bound
        case ClassNews::Kind::Alone:
            if (!sleeps(known, news.moves.front())) known.todo.insert_alone(news.moves.front());
            break;
        case ClassNews::Kind::Detour:
            if (!is_covered(place, news.moves)) {
                ask_for({news.moves, news.preemptions, bound_}, known.todo, known.later);
            }
            break;
    }
}

bool SharedBounds::is_covered(const Place& place, const std::vector<Move>& sequence) {
    const auto has_begun = [&](ThreadId thread) {
        for (const Place* on_way = &place; on_way->before != nullptr; on_way = on_way->before) {
            if (on_way->known.came_by->thread == thread) return true;
        }
        return false;
    };
    // As Detours::is_covered.
    const auto covers = [&](const Move& move) {
        return is_initial(move, sequence) ||
               (can_come_first(move, sequence) && !has_begun(move.thread) &&
                gathered_.assumptions.only_of(move.thread, Location::thread(move.thread)) &&
                gathered_.assumptions.ends_come_last());
    };
    const auto& branches = place.known.todo.branches();
    return std::any_of(place.known.sleep.begin(), place.known.sleep.end(), covers) ||
           std::any_of(branches.begin(), branches.end(),
                       [&](const WakeupTree::Branch& branch) { return covers(branch.move); });
}

void SharedBounds::end_part(std::size_t number, const WorkerEvent& event) {
    Worker& worker = all_[number];
    COOPCHECK_CHECK(worker.is_busy, "a part of a search ended that nobody had begun");
    worker.is_busy = false;
    const PartReport report = read_report(event.text, execution_.names());
    const bool is_consistent = gathered_.take_in(report, execution_, options_);
    workers_.count(event.extra);
    held_.insert(held_.end(), report.state.held.begin(), report.state.held.end());
    add_places(report.state.tree);
    for (Place* place : worker.places) place->users -= 1;
    if (!worker.places.empty()) remove_if_done(worker.places.back());
    worker.places.clear();
    if (report.end == PartEnd::StartOver || !is_consistent) {
        start_over_ = true;
        stop("the search has to begin again");
    } else if (report.end == PartEnd::Enough || gathered_.findings.size() >= options_.max_findings) {
        has_enough_ = true;
        stop(reason_of_enough(options_));
    } else if (report.end == PartEnd::Stopped) {
        stop(report.why);
    }
}

void SharedBounds::stop(const std::string& why) {
    if (!stop_.empty()) return;
    stop_ = why;
    for (std::size_t number = 0; number < all_.size(); ++number) {
        if (all_[number].is_busy) workers_.stop(number);
    }
}

SearchResult SharedBounds::result() const {
    SearchResult result = gathered_.result(options_, stop_);
    result.paths_at_bound = paths_at_bound_;
    result.finished_bound = finished_bound_;
    result.bound_left_nothing = result.exhausted && places_.empty();
    const std::size_t reasons = result.exhausted ? 0 : 1;
    if (result.gaps.size() == reasons) result.proved_bound = finished_bound_;
    return result;
}

}  // namespace coopcheck
