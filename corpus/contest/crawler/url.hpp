#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/contest/crawler/ascii.hpp"

namespace crawler {

/// Where a page is, always in normal form: two ways to write the same address are equal, so that it is
/// visited once. The part behind '#' is not kept, it is a place on the page.
struct Url {
    static constexpr int usual_port = 80;

    std::string host;
    int port = usual_port;
    std::string path = "/";
    std::string query;

    [[nodiscard]] std::string text() const {
        std::string result = "http://" + host;
        if (port != usual_port) result += ":" + std::to_string(port);
        result += path;
        if (!query.empty()) result += "?" + query;
        return result;
    }

    bool operator==(const Url&) const = default;
};

/// "/a/./b/../c" is "/a/c". Nothing is above "/".
[[nodiscard]] inline std::string without_dots(std::string_view path) {
    std::vector<std::string_view> kept;
    bool ends_in_folder = false;
    for (std::size_t begin = 1; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string_view segment = path.substr(begin, end - begin);
        ends_in_folder = segment == "." || segment == "..";
        if (!ends_in_folder) kept.push_back(segment);
        if (segment == ".." && !kept.empty()) kept.pop_back();
        begin = end + 1;
    }
    std::string result;
    for (const std::string_view segment : kept) (result += '/') += segment;
    if (ends_in_folder || kept.empty()) result += '/';
    return result;
}

/// "host" or "host:port" become those of the address; false if they are not well formed.
[[nodiscard]] inline bool set_authority(Url& url, std::string_view authority) {
    std::string_view port = authority;
    url.host = lower(cut(port, ':'));
    url.port = Url::usual_port;
    if (url.host.empty()) return false;
    if (port.empty()) return true;
    const std::from_chars_result read = std::from_chars(port.data(), port.data() + port.size(), url.port);
    return read.ptr == port.data() + port.size() && url.port > 0 && url.port < 65536;
}

/// What a link on a page leads to. Nothing if that is not on the web (mail, scripts), or is nonsense.
[[nodiscard]] inline std::optional<Url> resolve(const Url& page, std::string_view link) {
    link = trim(link.substr(0, link.find('#')));
    Url url = page;
    const std::size_t mark = link.find_first_of(":/?");
    if (mark != std::string_view::npos && link[mark] == ':') {
        if (lower(link.substr(0, mark)) != "http") return std::nullopt;
        link.remove_prefix(mark + 1);
        if (!link.starts_with("//")) return std::nullopt;
    }
    if (link.starts_with("//")) {
        link.remove_prefix(2);
        const std::string_view authority = link.substr(0, link.find_first_of("/?"));
        if (!set_authority(url, authority)) return std::nullopt;
        link.remove_prefix(authority.size());
        url.path = "/";
        url.query.clear();
    }
    if (link.empty()) return url;
    const std::string path(cut(link, '?'));
    url.query = link;
    if (path.starts_with('/')) {
        url.path = without_dots(path);
    } else if (!path.empty()) {
        url.path = without_dots(page.path.substr(0, page.path.rfind('/') + 1) + path);
    }
    return url;
}

}  // namespace crawler
