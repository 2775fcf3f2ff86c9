#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpus/contest/crawler/ascii.hpp"

namespace crawler {

/// What a host's robots.txt asks of a crawler.
class RobotsRules {
  public:
    /// The rules for this agent; if there are none, those for everybody.
    RobotsRules(std::string_view text, std::string_view agent) {
        std::vector<Rule> for_everybody;
        bool is_named = false;
        bool concerns_agent = false;
        bool concerns_everybody = false;
        bool is_in_rules = true;
        while (!text.empty()) {
            std::string_view line = cut(text, '\n');
            line = cut(line, '#');
            const std::string field = lower(trim(cut(line, ':')));
            const std::string_view value = trim(line);
            if (field == "user-agent") {
                // Several of these lines may be above the same rules.
                if (is_in_rules) concerns_agent = concerns_everybody = is_in_rules = false;
                if (lower(value) == agent) concerns_agent = is_named = true;
                if (value == "*") concerns_everybody = true;
            } else if (field == "allow" || field == "disallow") {
                is_in_rules = true;
                // "Disallow:" with nothing behind it forbids nothing.
                if (value.empty()) continue;
                const Rule rule{std::string(value), field == "allow"};
                if (concerns_agent) rules_.push_back(rule);
                if (concerns_everybody) for_everybody.push_back(rule);
            }
        }
        if (!is_named) rules_ = for_everybody;
    }

    /// The longest rule that fits decides; of two equally long ones, the one that allows.
    [[nodiscard]] bool allow(std::string_view path) const {
        const Rule* decisive = nullptr;
        for (const Rule& rule : rules_) {
            if (!path.starts_with(rule.prefix)) continue;
            const bool is_longer = decisive == nullptr || rule.prefix.size() > decisive->prefix.size();
            if (is_longer || (rule.prefix.size() == decisive->prefix.size() && rule.allows)) decisive = &rule;
        }
        return decisive == nullptr || decisive->allows;
    }

  private:
    struct Rule {
        std::string prefix;
        bool allows;
    };

    std::vector<Rule> rules_;
};

}  // namespace crawler
