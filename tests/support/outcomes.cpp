#include "tests/support/outcomes.hpp"

#include <algorithm>
#include <array>

namespace coopcheck::testing {

namespace {

using Set = std::set<std::string> Outcomes::*;
constexpr std::array<std::pair<std::string_view, Set>, 4> all_sets{{{"ends in", &Outcomes::final_states},
                                                                    {"fails", &Outcomes::assertions},
                                                                    {"misuses", &Outcomes::misuses},
                                                                    {"deadlocks", &Outcomes::deadlocks}}};

std::string describe_waits(std::string text, std::vector<BlockedThread> threads) {
    std::sort(threads.begin(), threads.end(), [](const BlockedThread& left, const BlockedThread& right) {
        return left.thread < right.thread;
    });
    for (const BlockedThread& blocked : threads) {
        text += "; " + blocked.thread + ' ' + std::string(name(blocked.kind));
        text += (blocked.target.empty() ? "" : " ") + blocked.target;
    }
    return text;
}

}  // namespace

void Outcomes::add(const Outcomes& other) {
    for (const auto& [title, set] : all_sets) {
        (this->*set).insert((other.*set).begin(), (other.*set).end());
    }
}

std::string describe_state(std::vector<std::pair<std::string, std::int64_t>> variables,
                           std::vector<std::pair<std::string, std::vector<std::int64_t>>> threads) {
    std::sort(variables.begin(), variables.end());
    std::sort(threads.begin(), threads.end());
    std::string text;
    for (const auto& [name, value] : variables) {
        text += (text.empty() ? "" : " ") + name + '=' + std::to_string(value);
    }
    for (const auto& [name, values] : threads) {
        text += "; " + name + ':';
        for (const std::int64_t value : values) {
            text += ' ' + std::to_string(value);
        }
    }
    return text;
}

std::string describe_exit(int code) { return "exit " + std::to_string(code); }

std::string describe_assertion(std::string_view thread, std::string_view text) {
    return std::string(thread) + ": " + std::string(text);
}

std::string describe_misuse(Misuse misuse, std::string_view thread, OpKind kind, std::string_view target) {
    std::string text =
        std::string(thread) + ": " + std::string(describe(misuse)) + " in " + std::string(name(kind));
    return target.empty() ? text : text + ": " + std::string(target);
}

std::string describe_stuck(std::vector<BlockedThread> threads) {
    return describe_waits("stuck", std::move(threads));
}

std::string describe_cycle(std::vector<BlockedThread> threads) {
    return describe_waits("cycle", std::move(threads));
}

void add_finding(Outcomes& outcomes, const Finding& finding, const Names& names) {
    const auto target = [&](const Operation& operation) {
        return operation.thread.valid()   ? names.threads.name(operation.thread)
               : operation.object.valid() ? names.objects.name(operation.object)
                                          : std::string();
    };
    if (finding.kind == FindingKind::Deadlock) {
        std::vector<BlockedThread> threads;
        for (const Wait& wait : finding.waits) {
            threads.push_back({names.threads.name(wait.thread), wait.operation.kind, target(wait.operation)});
        }
        outcomes.deadlocks.insert(finding.is_cycle ? describe_cycle(threads) : describe_stuck(threads));
    } else if (finding.kind == FindingKind::Assertion) {
        outcomes.assertions.insert(describe_assertion(names.threads.name(finding.thread), finding.message));
    } else if (finding.kind == FindingKind::Misuse && finding.misuse) {
        outcomes.misuses.insert(describe_misuse(*finding.misuse, names.threads.name(finding.thread),
                                                finding.operation.kind, target(finding.operation)));
    }
}

std::string to_text(const Outcomes& outcomes) {
    std::string text;
    for (const auto& [title, set] : all_sets) {
        for (const std::string& one : outcomes.*set) {
            text += std::string(title) + ' ' + one + '\n';
        }
    }
    return text;
}

std::string difference(const Outcomes& left, const Outcomes& right) {
    const auto only_in = [](const Outcomes& these, const Outcomes& those) {
        Outcomes rest;
        for (const auto& [title, set] : all_sets) {
            std::set_difference((these.*set).begin(), (these.*set).end(), (those.*set).begin(),
                                (those.*set).end(), std::inserter(rest.*set, (rest.*set).end()));
        }
        return to_text(rest);
    };
    std::string text;
    if (const std::string only_left = only_in(left, right); !only_left.empty()) {
        text += "only in the first:\n" + only_left;
    }
    if (const std::string only_right = only_in(right, left); !only_right.empty()) {
        text += "only in the second:\n" + only_right;
    }
    return text;
}

}  // namespace coopcheck::testing
