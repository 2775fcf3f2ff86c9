#pragma once

#include <mutex>
#include <string>

#include "corpus/contest/crawler/web.hpp"

namespace crawler {

/// One of the few connections to the web. Used by one worker at a time; anybody may tell it to stop.
class Connection {
  public:
    Connection(const Web& web, int number) : web_(web), number_(number) {}

    [[nodiscard]] int number() const { return number_; }

    /// What is being fetched is given up.
    void set_stop_flag() {
        const std::lock_guard lock(mutex_);  // BUG
        is_stopped_ = true;
    }

    /// A connection that goes back to the pool has forgotten what it was told.
    void reset() {
        const std::lock_guard lock(mutex_);
        is_stopped_ = false;
    }

    /// Null if there is no such page, or the connection was told to stop.
    [[nodiscard]] const Page* fetch(const std::string& address) {
        const std::lock_guard lock(mutex_);
        if (is_stopped_) return nullptr;
        return web_.find(address);
    }

  private:
    const Web& web_;
    int number_;
    std::mutex mutex_;
    bool is_stopped_ = false;
};

}  // namespace crawler
