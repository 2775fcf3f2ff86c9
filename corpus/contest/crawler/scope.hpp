#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "corpus/contest/crawler/crawl_options.hpp"
#include "corpus/contest/crawler/robots.hpp"
#include "corpus/contest/crawler/statistics.hpp"
#include "corpus/contest/crawler/url.hpp"
#include "corpus/contest/crawler/web.hpp"

namespace crawler {

/// Which addresses the crawl is about. Made before the workers start and never changed, so it needs no lock.
class Scope {
  public:
    /// Asks every host for its rules.
    Scope(const Web& web, const CrawlOptions& options) : most_links_away_(options.most_links_away) {
        for (const Site& site : sites) {
            const Response robots = web.get(Url{.host = std::string(site.host), .path = "/robots.txt"}, 1);
            rules_.emplace(site.host, RobotsRules(robots.body, options.agent));
        }
    }

    /// Why an address is not to be visited; nothing if it is.
    [[nodiscard]] std::optional<Event> objection(const Url& url, int links_away) const {
        const auto rules = rules_.find(url.host);
        if (rules == rules_.end() || url.port != Url::usual_port) return Event::OtherHost;
        if (!rules->second.allow(url.path)) return Event::Forbidden;
        if (links_away > most_links_away_) return Event::TooFar;
        return std::nullopt;
    }

  private:
    int most_links_away_;
    std::map<std::string, RobotsRules, std::less<>> rules_;
};

}  // namespace crawler
