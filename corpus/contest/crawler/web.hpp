#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "corpus/contest/crawler/url.hpp"

namespace crawler {

enum class Status { Ok, Moved, NotFound, Busy };

/// What a host answers. The texts belong to the web.
struct Response {
    Status status = Status::NotFound;
    /// The page; if it has moved, where to.
    std::string_view body;
};

/// A host of the web, and what it asks of crawlers.
struct Site {
    std::string_view host;
    std::string_view robots;
};

inline constexpr std::array<Site, 3> sites{{
    {"docs.example", "User-agent: *\nDisallow: /private/\nAllow: /private/open/\n"},
    {"news.example",
     "User-agent: nosybot\nUser-agent: coopcrawl\nDisallow: /private\n\nUser-agent: *\nDisallow:\n"},
    {"shop.example",
     "# Only for friends\nUser-agent: *\nDisallow: /\n\nUser-agent: coopcrawl\nDisallow: /private\n"},
}};

/// A small web, in memory and the same in every run: a tree of pages that are spread over the hosts, and
/// beside it what makes a crawler's life hard, from links that lead nowhere to hosts that are busy. With one
/// page it has no link that a crawler may follow.
class Web {
  public:
    explicit Web(std::size_t pages) : size_(pages) {
        for (std::size_t nth = 0; nth < pages; ++nth) add_page(nth);
    }

    /// The attempts at one address are counted from one.
    [[nodiscard]] Response get(const Url& url, int attempt) const {
        if (url.path == "/robots.txt") {
            for (const Site& site : sites) {
                if (site.host == url.host) return {Status::Ok, site.robots};
            }
        }
        const auto found = resources_.find(url.text());
        if (found == resources_.end()) return {};
        const Resource& resource = found->second;
        if (attempt <= resource.busy_attempts) return {Status::Busy, {}};
        return {resource.status, resource.body};
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] Url first() const { return Url{.host = std::string(host_of(0)), .path = path_of(0)}; }

  private:
    struct Resource {
        Status status;
        std::string body;
        /// So many requests are turned away first.
        int busy_attempts;
    };

    static std::string_view host_of(std::size_t nth) { return sites[nth % sites.size()].host; }
    static std::string path_of(std::size_t nth) { return "/page" + std::to_string(nth); }
    static bool has_moved(std::size_t nth) { return nth % 5 == 4; }
    static bool has_print_version(std::size_t nth) { return nth % 4 == 3; }

    void add_page(std::size_t nth) {
        const std::string host = "http://" + std::string(host_of(nth));
        const std::string address = host + path_of(nth);
        const std::string body = body_of(nth);
        // More often than a crawler asks for it, now and then.
        const int busy_attempts = nth % 6 == 5 ? static_cast<int>(nth % 4) + 1 : 0;
        if (has_moved(nth)) resources_[host + "/old" + path_of(nth)] = {Status::Moved, address, 0};
        if (has_print_version(nth)) resources_[host + "/print" + path_of(nth)] = {Status::Ok, body, 0};
        resources_[address] = {Status::Ok, body, busy_attempts};
    }

    [[nodiscard]] std::string body_of(std::size_t nth) const {
        constexpr std::array<std::string_view, 3> topics{"threads", "locks", "queues"};
        const std::string number = std::to_string(nth);
        std::string body = "<html><head><title>Page " + number + "</title>";
        if (nth % 7 == 6) body += "<meta name=robots content=noindex>";
        if (nth % 9 == 8) body += "<meta name=robots content=nofollow>";
        body += "</head><body><!-- <a href=/draft>soon</a> -->All about ";
        body += topics[nth % topics.size()];
        body += "<a href='#top'>up</a><a href='mailto:us'>us</a><a href='//ads.example'>buy</a>";
        body += "<a href='/private/" + number + "'>notes</a>";
        if (nth % 5 == 3) body += "<a href='/private/open/" + number + "'>lost</a>";
        if (has_print_version(nth)) body += "<a href='/print" + path_of(nth) + "'>print</a>";
        for (const std::size_t next : {2 * nth + 1, 2 * nth + 2}) {
            if (next < size_) body += "<a href=\"" + link_between(nth, next) + "\">more</a>";
        }
        return body + "</body></html>\n";
    }

    /// Links are written in many ways.
    static std::string link_between(std::size_t from, std::size_t to) {
        const std::string path = (has_moved(to) ? "/old" : "") + path_of(to);
        if (host_of(from) == host_of(to)) return ".." + path;
        const std::string host(host_of(to));
        return to % 2 == 0 ? "//" + host + "/." + path + "#top" : "HTTP://" + host + ":80/./x/.." + path;
    }

    std::size_t size_;
    /// By their addresses.
    std::map<std::string, Resource, std::less<>> resources_;
};

}  // namespace crawler
