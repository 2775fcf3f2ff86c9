#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "corpus/contest/crawler/worker.hpp"

namespace crawler {

struct CrawlOptions {
    int workers = 1;
    int connections = 1;
    std::size_t queue_capacity = 16;
};

/// Starts the workers, and stops them when somebody has seen enough or the work is done.
class Manager {
  public:
    Manager(const Web& web, const CrawlOptions& options)
        : addresses_(options.queue_capacity), connections_(web, options.connections) {
        addresses_.put(web.first().address);
        for (int nth = 0; nth < options.workers; ++nth) {
            workers_.push_back(std::make_unique<Worker>(Workplace{addresses_, connections_, index_}));
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

  private:
    AddressQueue addresses_;
    ConnectionManager connections_;
    Index index_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace crawler
