#include "explorer/shared_classes.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "core/check.hpp"
#include "explorer/search_file.hpp"
#include "explorer/search_gaps.hpp"
#include "explorer/search_part.hpp"

namespace coopcheck {

namespace {

bool sleeps(const std::vector<Move>& sleep, const Move& move) {
    return std::any_of(sleep.begin(), sleep.end(),
                       [&](const Move& other) { return other.is(move.thread, move.variant); });
}

}  // namespace

void SharedClasses::run(const SearchState& from) {
    gathered_.take_over(from);
    Place* last = nullptr;
    std::optional<Way> way;
    for (const ClassPlace& saved : from.path) {
        last = add_after(last, way, saved);
        way = way_from(saved);
        if (way) last->sleep.push_back(way->move);  // what begins with it is left to the places that come now
    }
    if (last != nullptr) last->analysed = from.analysed;
    all_.resize(workers_.start(execution_.knowledge(), options_.budget.schedules));
    for (;;) {
        give_work();
        if (std::none_of(all_.begin(), all_.end(), [](const Worker& worker) { return worker.is_busy; }))
            return;
        ask_for_parts();
        hear(workers_.next());
    }
}

std::optional<SharedClasses::Way> SharedClasses::way_from(const ClassPlace& saved) {
    return saved.taken ? std::optional(Way{*saved.taken, saved.kind}) : std::nullopt;
}

SharedClasses::Place* SharedClasses::add_after(Place* before, const std::optional<Way>& way,
                                               const ClassPlace& saved) {
    auto place = std::make_unique<Place>();
    place->before = before;
    place->way = way;
    place->sleep = saved.sleep;
    place->todo = saved.todo;
    place->is_fresh = saved.is_fresh;
    Place* made = place.get();
    if (before == nullptr) {
        root_ = std::move(place);
    } else {
        before->next.push_back(std::move(place));
    }
    return made;
}

SharedClasses::Place* SharedClasses::find_work() {
    // The nearer to the start of the program, the more is to be done.
    std::deque<Place*> places;
    if (root_) places.push_back(root_.get());
    while (!places.empty()) {
        Place* place = places.front();
        places.pop_front();
        if (!place->waits && (place->is_fresh || !place->todo.empty())) return place;
        for (const auto& next : place->next) places.push_back(next.get());
    }
    return nullptr;
}

void SharedClasses::give_work() {
    for (std::size_t worker = 0; worker < all_.size() && stop_.empty(); ++worker) {
        while (!all_[worker].is_lost && !all_[worker].is_busy) {
            Place* place = find_work();
            if (place == nullptr) return;
            give(worker, *place);
        }
    }
}

void SharedClasses::give(std::size_t number, Place& place) {
    Worker& worker = all_[number];
    ClassPlace last{.sleep = place.sleep};
    if (place.is_fresh) {
        last.todo = std::exchange(place.todo, {});
        last.is_fresh = true;
        place.is_fresh = false;
    } else {
        WakeupTree::Branch branch = place.todo.take();
        if (sleeps(place.sleep, branch.move)) return;
        last.todo.append(std::move(branch));
        place.waits = true;
    }
    SearchState part;
    part.assumptions = gathered_.assumptions;
    worker.places.clear();
    for (Place* on_way = &place; on_way != nullptr; on_way = on_way->before) worker.places.push_back(on_way);
    std::reverse(worker.places.begin(), worker.places.end());
    for (std::size_t depth = 0; depth + 1 < worker.places.size(); ++depth) {
        const Way& way = *worker.places[depth + 1]->way;
        part.path.push_back({.sleep = worker.places[depth]->sleep, .taken = way.move, .kind = way.kind});
    }
    part.analysed = last.is_fresh ? place.analysed : part.path.size();
    // All that begins at a fresh place belongs to whoever gets it.
    worker.way.reset();
    if (last.is_fresh) {
        worker.places.pop_back();
        worker.way = place.way;
    }
    part.path.push_back(std::move(last));
    part.own_from = worker.places.size();
    for (Place* on_way : worker.places) on_way->users += 1;
    worker.is_busy = true;
    worker.is_asked = false;
    workers_.begin(number, write_part(execution_.knowledge(), std::move(part)), {});
}

void SharedClasses::ask_for_parts() {
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

SearchState SharedClasses::read(const std::string& text) {
    SavedSearch saved = read_search(text, execution_.names());
    execution_.know(saved.knowledge);
    return std::move(saved.state);
}

void SharedClasses::hear(const WorkerEvent& event) {
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

void SharedClasses::take_places(Worker& worker, const SearchState& part) {
    worker.is_asked = false;
    for (const ClassPlace& saved : part.path) {
        Place* before = worker.places.empty() ? nullptr : worker.places.back();
        COOPCHECK_CHECK(before == nullptr || worker.way.has_value(), "a part of a search leads nowhere");
        Place* place = add_after(before, worker.way, saved);
        place->users += 1;
        worker.places.push_back(place);
        worker.way = way_from(saved);
    }
}

void SharedClasses::take_news(Worker& worker, const ClassNews& news) const {
    COOPCHECK_CHECK(news.at < worker.places.size(), "a part of a search tells of a place that is its own");
    Place& place = *worker.places[news.at];
    const bool is_answer = news.kind == ClassNews::Kind::Began || news.kind == ClassNews::Kind::Impossible;
    if (place.waits && !is_answer) {
        place.put_off.push_back(news);
        return;
    }
    insert(place, news, options_.reduction);
    if (!is_answer) return;
    if (news.kind == ClassNews::Kind::Began) worker.way = Way{news.moves.front(), news.step};
    for (const ClassNews& waiting : std::exchange(place.put_off, {}))
        insert(place, waiting, options_.reduction);
}

void SharedClasses::insert(Place& place, const ClassNews& news, Reduction reduction) {
    switch (news.kind) {
        case ClassNews::Kind::Began:
            place.waits = false;
            place.sleep.push_back(news.moves.front());
            break;
        case ClassNews::Kind::Impossible:
            place.waits = false;
            break;
        case ClassNews::Kind::Reversal:
            insert_reversal(news.moves, place.sleep, reduction, place.todo);
            break;
        case ClassNews::Kind::Alone:
            if (!sleeps(place.sleep, news.moves.front())) place.todo.insert_alone(news.moves.front());
            break;
    }
}

void SharedClasses::end_part(std::size_t number, const WorkerEvent& event) {
    Worker& worker = all_[number];
    COOPCHECK_CHECK(worker.is_busy, "a part of a search ended that nobody had begun");
    worker.is_busy = false;
    const PartReport report = read_report(event.text, execution_.names());
    const bool is_consistent = gathered_.take_in(report, execution_, options_);
    workers_.count(event.extra);
    leave_places(worker);
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

void SharedClasses::leave_places(Worker& worker) {
    for (Place* place : worker.places) place->users -= 1;
    Place* place = worker.places.empty() ? nullptr : worker.places.back();
    worker.places.clear();
    worker.way.reset();
    while (place != nullptr && place->before != nullptr && place->users == 0 && place->next.empty() &&
           place->todo.empty() && !place->is_fresh && !place->waits) {
        Place* before = place->before;
        before->next.remove_if([&](const std::unique_ptr<Place>& next) { return next.get() == place; });
        place = before;
    }
}

void SharedClasses::stop(const std::string& why) {
    if (!stop_.empty()) return;
    stop_ = why;
    for (std::size_t number = 0; number < all_.size(); ++number) {
        if (all_[number].is_busy) workers_.stop(number);
    }
}

SearchResult SharedClasses::result() const {
    SearchResult result = gathered_.result(options_, stop_);
    result.paths_at_bound = {gathered_.counts.paths()};
    result.bound_left_nothing = true;
    return result;
}

}  // namespace coopcheck
