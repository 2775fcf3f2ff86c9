#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "corpus/contest/crawler/document.hpp"

namespace crawler {

/// Tells texts apart (FNV-1a, 64 bits).
[[nodiscard]] constexpr std::uint64_t digest_of(std::string_view text) {
    std::uint64_t digest = 0xcbf29ce484222325;
    for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return digest;
}

/// What has been found so far: which words are on which pages. Workers merge what they have retrieved.
class Index {
  public:
    /// False, and nothing is merged, if a page with this text is there, under whatever address.
    bool merge(const std::string& address, std::uint64_t digest, const Document& document) {
        const std::lock_guard lock(mutex_);
        if (!digests_.insert(digest).second) return false;
        for (const std::string& word : document.words) pages_[word].insert(address);
        titles_.emplace(address, document.title);
        return true;
    }

    [[nodiscard]] std::size_t visited() const {
        const std::lock_guard lock(mutex_);
        return titles_.size();
    }

    [[nodiscard]] std::size_t pages_with(const std::string& word) const {
        const std::lock_guard lock(mutex_);
        const auto found = pages_.find(word);
        return found == pages_.end() ? 0 : found->second.size();
    }

    /// Of all pages, by address.
    [[nodiscard]] std::map<std::string, std::string> titles() const {
        const std::lock_guard lock(mutex_);
        return titles_;
    }

  private:
    mutable std::mutex mutex_;
    std::map<std::string, std::set<std::string>> pages_;
    std::map<std::string, std::string> titles_;
    std::set<std::uint64_t> digests_;
};

}  // namespace crawler
