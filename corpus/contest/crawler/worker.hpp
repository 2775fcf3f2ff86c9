#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "corpus/contest/crawler/address_queue.hpp"
#include "corpus/contest/crawler/connection.hpp"
#include "corpus/contest/crawler/connection_manager.hpp"
#include "corpus/contest/crawler/document.hpp"
#include "corpus/contest/crawler/index.hpp"
#include "corpus/contest/crawler/scope.hpp"
#include "corpus/contest/crawler/statistics.hpp"
#include "corpus/contest/crawler/url.hpp"

namespace crawler {

/// What the workers share.
struct Workplace {
    const Scope& scope;
    AddressQueue& addresses;
    ConnectionManager& connections;
    Index& index;
};

/// A thread that takes addresses, fetches pages over a connection, and merges what it finds. It can be told
/// to finish at any time by anybody.
class Worker {
  public:
    Worker(Workplace place, int most_attempts) : place_(place), most_attempts_(most_attempts) {}

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

    /// Only when the worker has ended.
    [[nodiscard]] const Statistics& statistics() const { return statistics_; }

  private:
    void run() {
        while (!is_finished()) {
            const std::optional<Visit> visit = place_.addresses.take();
            if (!visit) return;
            make(*visit);
            place_.addresses.done(*visit);
        }
    }

    void make(const Visit& visit) {
        Connection* connection = place_.connections.acquire();
        if (connection == nullptr) return;
        set_connection(connection);
        if (const std::optional<Response> response = fetch(*connection, visit.url)) use(visit, *response);
        set_connection(nullptr);
        place_.connections.release(*connection);
    }

    /// Asks a busy host again, but not for ever. Nothing if the connection was told to stop.
    [[nodiscard]] std::optional<Response> fetch(Connection& connection, const Url& url) {
        for (int attempt = 1;; ++attempt) {
            const std::optional<Response> response = connection.fetch(url, attempt);
            if (!response) return std::nullopt;
            statistics_.count(attempt == 1 ? Event::Request : Event::Retry);
            if (response->status != Status::Busy || attempt == most_attempts_) return response;
        }
    }

    void use(const Visit& visit, const Response& response) {
        switch (response.status) {
            case Status::Ok:
                return read(visit, response.body);
            case Status::Moved:
                statistics_.count(Event::Moved);
                // As far away as before. A circle of such pages ends, since the queue knows them.
                return follow(visit.url, response.body, visit.links_away);
            case Status::NotFound:
                return statistics_.count(Event::Missing);
            case Status::Busy:
                return statistics_.count(Event::GivenUp);
        }
    }

    void read(const Visit& visit, std::string_view html) {
        const Document document = DocumentReader(html).read();
        if (!document.may_be_indexed) {
            statistics_.count(Event::Private);
        } else {
            const bool is_new = place_.index.merge(visit.url.text(), digest_of(html), document);
            statistics_.count(is_new ? Event::Indexed : Event::Duplicate);
        }
        if (!document.may_be_followed) return;
        for (const std::string& link : document.links) follow(visit.url, link, visit.links_away + 1);
    }

    void follow(const Url& page, std::string_view link, int links_away) {
        const std::optional<Url> url = resolve(page, link);
        // Mail, or another place on the same page.
        if (!url || *url == page) return;
        const std::optional<Event> objection = place_.scope.objection(*url, links_away);
        statistics_.count(objection ? *objection : place_.addresses.put({*url, links_away}));
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
    int most_attempts_;
    Statistics statistics_;
    std::thread thread_;
    std::mutex mutex_;
    bool is_finished_ = false;
    /// The one that is used at present; null between two pages.
    Connection* connection_ = nullptr;
};

}  // namespace crawler
