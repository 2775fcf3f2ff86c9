#pragma once

#include <memory>
#include <vector>

#include "corpus/contest/crawler/crawl_options.hpp"
#include "corpus/contest/crawler/scope.hpp"
#include "corpus/contest/crawler/statistics.hpp"
#include "corpus/contest/crawler/worker.hpp"

namespace crawler {

/// Starts the workers, and stops them when somebody has seen enough or the work is done.
class Manager {
  public:
    Manager(const Web& web, const CrawlOptions& options)
        : scope_(web, options), addresses_(options.queue_capacity), connections_(web, options.connections) {
        addresses_.put({web.first()});
        for (int nth = 0; nth < options.workers; ++nth) {
            workers_.push_back(std::make_unique<Worker>(Workplace{scope_, addresses_, connections_, index_},
                                                        options.most_attempts));
        }
    }

    void start() {
        for (const auto& worker : workers_) worker->start();
    }

    /// In the middle of the work: everybody gives up what they do.
    void stop() {
        addresses_.close();
        for (const auto& worker : workers_) worker->finish();
    }

    /// Returns when all workers have ended and all connections are back.
    void wait() {
        for (const auto& worker : workers_) worker->join();
        connections_.close();
    }

    [[nodiscard]] const Index& index() const { return index_; }

    /// Of every worker. Only when all have ended.
    [[nodiscard]] std::vector<Statistics> statistics() const {
        std::vector<Statistics> all;
        for (const auto& worker : workers_) all.push_back(worker->statistics());
        return all;
    }

  private:
    Scope scope_;
    AddressQueue addresses_;
    ConnectionManager connections_;
    Index index_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace crawler
