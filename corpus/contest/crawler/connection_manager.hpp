#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "corpus/contest/crawler/connection.hpp"

namespace crawler {

/// Hands connections out and takes them back. Workers wait here for a connection; whoever closes it waits for
/// the connections that are still alive.
class ConnectionManager {
  public:
    ConnectionManager(const Web& web, int connections) {
        for (int nth = 0; nth < connections; ++nth) {
            all_.push_back(std::make_unique<Connection>(web));
            free_.push_back(all_.back().get());
        }
    }

    /// Waits until one is free; null when the manager was closed.
    [[nodiscard]] Connection* acquire() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return is_closed_ || !free_.empty(); });
        if (is_closed_) return nullptr;
        Connection* connection = free_.front();
        free_.pop_front();
        return connection;
    }

    void release(Connection& connection) {
        connection.reset();
        const std::lock_guard lock(mutex_);
        free_.push_back(&connection);
        changed_.notify_all();
    }

    /// Nobody gets a connection any more; returns when all have come back.
    void close() {
        std::unique_lock lock(mutex_);
        is_closed_ = true;
        changed_.notify_all();
        changed_.wait(lock, [&] { return free_.size() == all_.size(); });
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::unique_ptr<Connection>> all_;
    std::deque<Connection*> free_;
    bool is_closed_ = false;
};

}  // namespace crawler
