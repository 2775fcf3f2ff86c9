#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace crawler {

/// The addresses that are still to be visited, each of them once, in a queue of limited length. Knows when the work is
/// done: the queue is empty and nobody works on an address that could bring new ones.
class AddressQueue {
  public:
    explicit AddressQueue(std::size_t capacity) : capacity_(capacity) {}

    /// An address that was seen before is left out; so is one for which there is no room, since waiting for room while
    /// everybody puts would be waiting for ever.
    void put(const std::string& address) {
        const std::lock_guard lock(mutex_);
        if (is_closed_ || waiting_.size() == capacity_ || !seen_.insert(address).second) return;
        waiting_.push_back(address);
        changed_.notify_one();
    }

    /// Waits for an address. Nothing when the work is done or the queue was closed. Who gets one says so when it
    /// has been worked on.
    [[nodiscard]] std::optional<std::string> take() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return is_closed_ || !waiting_.empty() || worked_on_ == 0; });
        if (is_closed_ || waiting_.empty()) return std::nullopt;
        std::string address = waiting_.front();
        waiting_.pop_front();
        worked_on_ += 1;
        return address;
    }

    void done() {
        const std::lock_guard lock(mutex_);
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
    std::size_t capacity_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::string> waiting_;
    std::set<std::string> seen_;
    std::size_t worked_on_ = 0;
    bool is_closed_ = false;
};

}  // namespace crawler
