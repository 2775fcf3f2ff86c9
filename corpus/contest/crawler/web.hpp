#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace crawler {

/// A page of the web that the crawler knows: its links and its words.
struct Page {
    std::string address;
    std::vector<std::string> links;
    std::vector<std::string> words;
};

/// A small web, in memory and the same in every run.
class Web {
  public:
    explicit Web(std::size_t pages) {
        for (std::size_t nth = 0; nth < pages; ++nth) pages_.push_back(make_page(nth, pages));
    }

    /// Null if there is no such page.
    [[nodiscard]] const Page* find(const std::string& address) const {
        for (const Page& page : pages_) {
            if (page.address == address) return &page;
        }
        return nullptr;
    }

    [[nodiscard]] std::size_t size() const { return pages_.size(); }
    [[nodiscard]] const Page& first() const { return pages_.front(); }

  private:
    static std::string address_of(std::size_t nth) { return "page" + std::to_string(nth); }

    /// Every page links to the next one and to one that does not exist.
    static Page make_page(std::size_t nth, std::size_t pages) {
        static const std::array<const char*, 3> vocabulary{"thread", "lock", "queue"};
        Page page;
        page.address = address_of(nth);
        if (nth + 1 < pages) page.links.push_back(address_of(nth + 1));
        page.words = {vocabulary[nth % vocabulary.size()], "page"};
        return page;
    }

    std::vector<Page> pages_;
};

}  // namespace crawler
