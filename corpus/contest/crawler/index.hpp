#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "corpus/contest/crawler/web.hpp"

namespace crawler {

/// What has been found so far: which words are on which pages. Workers merge what they have retrieved.
class Index {
  public:
    void merge(const Page& page) {
        const std::lock_guard lock(mutex_);
        for (const std::string& word : page.words) pages_[word].insert(page.address);
        visited_.insert(page.address);
    }

    [[nodiscard]] std::size_t visited() const {
        const std::lock_guard lock(mutex_);
        return visited_.size();
    }

    [[nodiscard]] std::size_t pages_with(const std::string& word) const {
        const std::lock_guard lock(mutex_);
        const auto found = pages_.find(word);
        return found == pages_.end() ? 0 : found->second.size();
    }

  private:
    mutable std::mutex mutex_;
    std::map<std::string, std::set<std::string>> pages_;
    std::set<std::string> visited_;
};

}  // namespace crawler
