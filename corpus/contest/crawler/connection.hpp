#pragma once

#include <mutex>
#include <optional>

#include "corpus/contest/crawler/url.hpp"
#include "corpus/contest/crawler/web.hpp"

namespace crawler {

/// One of the few connections to the web. Used by one worker at a time; anybody may tell it to stop.
class Connection {
  public:
    explicit Connection(const Web& web) : web_(web) {}

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

    /// Nothing if the connection was told to stop. The attempts at one address are counted from one.
    [[nodiscard]] std::optional<Response> fetch(const Url& url, int attempt) {
        const std::lock_guard lock(mutex_);
        if (is_stopped_) return std::nullopt;
        return web_.get(url, attempt);
    }

  private:
    const Web& web_;
    std::mutex mutex_;
    bool is_stopped_ = false;
};

}  // namespace crawler
