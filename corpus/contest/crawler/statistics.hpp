#pragma once

#include <array>
#include <cstddef>

namespace crawler {

/// What happens in a crawl and is counted, in the order of the report.
enum class Event {
    Request,
    Retry,
    Moved,
    Missing,
    GivenUp,
    Indexed,
    Duplicate,
    Private,
    Followed,
    Known,
    Dropped,
    OtherHost,
    Forbidden,
    TooFar
};

inline constexpr std::array<const char*, 14> event_names{
    "requests",
    "  again, the host was busy",
    "  page has moved",
    "  no such page",
    "  given up",
    "pages indexed",
    "  left out, same text as another",
    "  left out, as the author asks",
    "links followed",
    "  known before",
    "  dropped, queue full or closed",
    "  to other hosts",
    "  forbidden by robots.txt",
    "  too far from the first page",
};

/// What a worker has done. Each has its own, and nobody else looks at it before the worker has ended.
class Statistics {
  public:
    void count(Event event) { counts_[static_cast<std::size_t>(event)] += 1; }

    /// Of an event, by its place among the names.
    [[nodiscard]] std::size_t at(std::size_t event) const { return counts_[event]; }

  private:
    std::array<std::size_t, event_names.size()> counts_{};
};

}  // namespace crawler
