#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "corpus/contest/crawler/statistics.hpp"
#include "corpus/contest/crawler/url.hpp"

namespace crawler {

/// An address to visit, and how many links it is away from the first one.
struct Visit {
    Url url;
    int links_away = 0;
};

/// The addresses that are still to be visited, each of them once, in a queue of limited length. Knows when
/// the work is done: the queue is empty and nobody works on an address that could bring new ones.
class AddressQueue {
  public:
    explicit AddressQueue(std::size_t capacity) : capacity_(capacity) {}

    /// An address that was seen before is left out; so is one for which there is no room, since waiting for
    /// room while everybody puts would be waiting for ever.
    Event put(const Visit& visit) {
        const std::lock_guard lock(mutex_);
        if (is_closed_ || waiting_.size() == capacity_) return Event::Dropped;
        if (!seen_.insert(visit.url.text()).second) return Event::Known;
        waiting_.push_back(visit);
        changed_.notify_one();
        return Event::Followed;
    }

    /// Waits for an address. Nothing when the work is done or the queue was closed. Who gets one says so when
    /// it has been worked on.
    [[nodiscard]] std::optional<Visit> take() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return is_closed_ || !waiting_.empty() || worked_on_ == 0; });
        if (is_closed_ || waiting_.empty()) return std::nullopt;
        const auto next = politest();
        Visit visit = *next;
        waiting_.erase(next);
        visitors_[visit.url.host] += 1;
        worked_on_ += 1;
        return visit;
    }

    void done(const Visit& visit) {
        const std::lock_guard lock(mutex_);
        visitors_[visit.url.host] -= 1;
        worked_on_ -= 1;
        if (worked_on_ == 0) changed_.notify_all();
    }

    /// Wakes everybody who waits; there is nothing to be had any more.
    void close() {
        const std::lock_guard lock(mutex_);
        is_closed_ = true;
        changed_.notify_all();
    }

  private:
    /// On the host with the fewest of us at present; of several, the one that waits longest.
    [[nodiscard]] std::deque<Visit>::iterator politest() {
        return std::min_element(waiting_.begin(), waiting_.end(), [&](const Visit& one, const Visit& other) {
            return visitors_[one.url.host] < visitors_[other.url.host];
        });
    }

    std::size_t capacity_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Visit> waiting_;
    std::set<std::string> seen_;
    /// How many workers are at a host.
    std::map<std::string, int> visitors_;
    std::size_t worked_on_ = 0;
    bool is_closed_ = false;
};

}  // namespace crawler
