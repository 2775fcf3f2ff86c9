#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus/contest/crawler/ascii.hpp"

namespace crawler {

/// What a page says, once its HTML is read.
struct Document {
    std::string title;
    /// As they are written on the page, in this order.
    std::vector<std::string> links;
    std::set<std::string> words;
    /// Its author can ask for either in a meta tag.
    bool may_be_indexed = true;
    bool may_be_followed = true;
};

/// Reads the HTML of one page: as much of it as matters to a crawler, and without complaints, as browsers do.
class DocumentReader {
  public:
    explicit DocumentReader(std::string_view html) : rest_(html) {}

    /// To be called once.
    [[nodiscard]] Document read() {
        while (!rest_.empty()) {
            read_text(cut(rest_, '<'));
            if (rest_.starts_with("!--")) {
                rest_.remove_prefix(std::min(rest_.find("-->"), rest_.size()));
                rest_.remove_prefix(std::min(std::string_view("-->").size(), rest_.size()));
            } else {
                read_tag(cut(rest_, '>'));
            }
        }
        return std::move(document_);
    }

  private:
    void read_text(std::string_view text) {
        if (is_in_title_) document_.title += text;
        for (auto at = text.begin(); at != text.end();) {
            const auto begin = std::find_if(at, text.end(), is_in_word);
            at = std::find_if_not(begin, text.end(), is_in_word);
            if (begin != at) document_.words.insert(lower(std::string_view(begin, at)));
        }
    }

    /// What is between '<' and '>'.
    void read_tag(std::string_view tag) {
        const std::string name = lower(tag.substr(0, tag.find_first_of(" \t\r\n")));
        if (name == "title") is_in_title_ = true;
        if (name == "/title") is_in_title_ = false;
        if (name == "a") {
            const std::string_view link = attribute(tag, "href");
            if (!link.empty()) document_.links.emplace_back(link);
        }
        if (name == "meta" && lower(attribute(tag, "name")) == "robots") {
            const std::string wish = lower(attribute(tag, "content"));
            if (wish.find("noindex") != std::string::npos) document_.may_be_indexed = false;
            if (wish.find("nofollow") != std::string::npos) document_.may_be_followed = false;
        }
    }

    /// The value of an attribute, with quotes of either kind around it or none; empty if it is not there.
    static std::string_view attribute(std::string_view tag, std::string_view name) {
        static_cast<void>(cut(tag, ' '));
        while (!trim(tag).empty()) {
            const std::string found = lower(trim(cut(tag, '=')));
            tag = trim(tag);
            const char quote = tag.empty() ? ' ' : tag.front();
            const bool is_quoted = quote == '"' || quote == '\'';
            if (is_quoted) tag.remove_prefix(1);
            const std::string_view value = cut(tag, is_quoted ? quote : ' ');
            if (found == name) return value;
        }
        return {};
    }

    static bool is_in_word(char c) { return is_letter(c) || is_digit(c); }

    std::string_view rest_;
    Document document_;
    bool is_in_title_ = false;
};

}  // namespace crawler
