#include "explorer/event_order.hpp"

#include <algorithm>

namespace coopcheck {

namespace {

void join(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
    if (into.size() < from.size()) {
        into.resize(from.size(), 0);
    }
    for (std::size_t i = 0; i < from.size(); ++i) {
        into[i] = std::max(into[i], from[i]);
    }
}

}  // namespace

void EventOrder::clear() {
    events_.clear();
    of_thread_.clear();
    touched_.clear();
    everything_.clear();
    world_.clear();
}

EventOrder::Entry EventOrder::ordered_after(ThreadId thread, const Label& label) const {
    Entry entry;
    entry.thread = thread.index();
    entry.times = world_;
    if (thread.index() < of_thread_.size() && !of_thread_[thread.index()].empty()) {
        entry.previous = of_thread_[thread.index()].back();
        join(entry.times, events_[entry.previous].times);
        entry.position = events_[entry.previous].position;
    }
    entry.position += 1;
    if (label.has_world()) {
        join(entry.times, everything_);
    }
    for (const Label::Entry& touch : label.entries()) {
        const auto found = touched_.find(touch.location);
        if (found == touched_.end()) {
            continue;
        }
        join(entry.times, found->second.written);
        if (touch.effect != Effect::Read) {
            join(entry.times, found->second.read);
        }
        if (touch.effect != Effect::Add) {
            join(entry.times, found->second.added);
        }
    }
    if (entry.times.size() <= thread.index()) {
        entry.times.resize(thread.index() + 1, 0);
    }
    entry.times[thread.index()] = entry.position;
    return entry;
}

std::size_t EventOrder::add(ThreadId thread, const Label& label) {
    const std::size_t number = events_.size();
    events_.push_back(ordered_after(thread, label));
    const Times& times = events_.back().times;
    if (of_thread_.size() <= thread.index()) {
        of_thread_.resize(thread.index() + 1);
    }
    of_thread_[thread.index()].push_back(number);
    join(everything_, times);
    if (label.has_world()) {
        world_ = times;
    }
    for (const Label::Entry& touch : label.entries()) {
        Touched& touched = touched_[touch.location];
        switch (touch.effect) {
            case Effect::Read:
                join(touched.read, times);
                break;
            case Effect::Add:
                join(touched.added, times);
                break;
            case Effect::Write:
                touched.written = times;
                touched.read.clear();
                touched.added.clear();
                break;
        }
    }
    return number;
}

std::size_t EventOrder::add_pending(ThreadId thread, const Label& label) {
    events_.push_back(ordered_after(thread, label));
    return events_.size() - 1;
}

std::vector<std::size_t> EventOrder::news_of(std::size_t event) const {
    const Entry& entry = events_[event];
    std::vector<std::size_t> news;
    for (std::uint32_t thread = 0; thread < entry.times.size() && thread < of_thread_.size(); ++thread) {
        if (thread == entry.thread) {
            continue;
        }
        const std::uint32_t known = entry.previous == none ? 0 : clock(entry.previous)[thread];
        for (std::uint32_t position = known; position < entry.times[thread]; ++position) {
            news.push_back(of_thread_[thread][position]);
        }
    }
    std::sort(news.rbegin(), news.rend());
    return news;
}

}  // namespace coopcheck
