#pragma once

#include <cstddef>
#include <string_view>

namespace crawler {

struct CrawlOptions {
    int workers = 1;
    int connections = 1;
    std::size_t queue_capacity = 16;
    /// How many links away from the first page.
    int most_links_away = 5;
    /// How often a page is asked for when its host is too busy.
    int most_attempts = 3;
    /// The name under which robots.txt knows us.
    std::string_view agent = "coopcrawl";
};

}  // namespace crawler
