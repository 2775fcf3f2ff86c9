#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "corpus/contest/crawler/address_queue.hpp"
#include "corpus/contest/crawler/connection.hpp"
#include "corpus/contest/crawler/connection_manager.hpp"
#include "corpus/contest/crawler/index.hpp"

namespace crawler {

/// What the workers share.
struct Workplace {
    AddressQueue& addresses;
    ConnectionManager& connections;
    Index& index;
};

/// A thread that takes addresses, fetches pages over a connection, and merges what it finds. It can be told to finish
/// at any time by anybody.
class Worker {
  public:
    explicit Worker(Workplace place) : place_(place) {}

    void start() {
        thread_ = std::thread([this] { run(); });
    }

    void join() { thread_.join(); }

    /// Gives up what is being fetched and takes no more addresses. By the manager, while the worker works.
    void finish() {
        {
            const std::lock_guard lock(mutex_);
            is_finished_ = true;
        }
#ifdef FIXED
        const std::lock_guard lock(mutex_);
        if (connection_ != nullptr) connection_->set_stop_flag();
#else
        // Both calls are synchronized. What the first one said need not be true any more at the second.
        if (connection() != nullptr) connection()->set_stop_flag();  // BUG
#endif
    }

  private:
    void run() {
        while (!is_finished()) {
            const std::optional<std::string> address = place_.addresses.take();
            if (!address) return;
            visit(*address);
            place_.addresses.done();
        }
    }

    void visit(const std::string& address) {
        Connection* connection = place_.connections.acquire();
        if (connection == nullptr) return;
        set_connection(connection);
        if (const Page* page = connection->fetch(address)) {
            place_.index.merge(*page);
            for (const std::string& link : page->links) place_.addresses.put(link);
        }
        set_connection(nullptr);
        place_.connections.release(*connection);
    }

    [[nodiscard]] bool is_finished() {
        const std::lock_guard lock(mutex_);
        return is_finished_;
    }

    [[nodiscard]] Connection* connection() {
        const std::lock_guard lock(mutex_);
        return connection_;
    }

    void set_connection(Connection* connection) {
        const std::lock_guard lock(mutex_);
        connection_ = connection;
    }

    Workplace place_;
    std::thread thread_;
    std::mutex mutex_;
    bool is_finished_ = false;
    /// The one that is used at present; null between two pages.
    Connection* connection_ = nullptr;
};

}  // namespace crawler
