#include "core/trace.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>

namespace coopcheck {

namespace {

std::string join(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += (i == 0 ? "" : " and ") + words[i];
    }
    return text;
}

/// The text without what a rebuild changes: line numbers, addresses, the folders of source files.
std::string without_numbers_and_folders(const std::string& text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '/') {
            const std::size_t before = plain.find_last_of(" '\"`(");
            plain.erase(before == std::string::npos ? 0 : before + 1);
            at += 1;
        } else if (std::isdigit(static_cast<unsigned char>(text[at])) != 0) {
            while (at < text.size() && std::isxdigit(static_cast<unsigned char>(text[at])) != 0) {
                at += 1;
                if (at < text.size() && text[at] == 'x' && text[at - 1] == '0') {
                    at += 1;
                }
            }
            plain += '#';
        } else {
            plain += text[at];
            at += 1;
        }
    }
    return plain;
}

std::string function_of(const std::string& source) { return source.substr(0, source.rfind(' ')); }

bool same_access(const TraceAccess& left, const TraceAccess& right) {
    return left.operation.kind == right.operation.kind && left.freed == right.freed &&
           function_of(left.source) == function_of(right.source);
}

/// Which thread makes which access depends on the schedule, and where memory lies on how the program was
/// built.
bool same_race(const TraceRace& left, const TraceRace& right) {
    const bool same_memory = left.second.operation.location == right.second.operation.location ||
                             left.first.operation.location == right.first.operation.location ||
                             (left.allocation && right.allocation);
    return same_memory && ((same_access(left.first, right.first) && same_access(left.second, right.second)) ||
                           (same_access(left.first, right.second) && same_access(left.second, right.first)));
}

bool same_wait(const TraceWait& left, const TraceWait& right) {
    return left.thread == right.thread && same_operation(left.operation, right.operation);
}

}  // namespace

bool same_operation(const TraceOperation& left, const TraceOperation& right) {
    return left.kind == right.kind && left.object == right.object && left.mutex == right.mutex &&
           left.thread == right.thread && left.location == right.location &&
           left.exit_code == right.exit_code && left.looks_again == right.looks_again;
}

std::string describe(const TraceOperation& operation) {
    if (operation.looks_again) {
        return "looks again";
    }
    std::string target = operation.object;
    for (const std::string* more : {&operation.mutex, &operation.thread, &operation.location}) {
        target += (target.empty() || more->empty() ? "" : ", ") + *more;
    }
    if (operation.kind == OpKind::ProcessExit) {
        target = std::to_string(operation.exit_code);
    }
    return std::string(name(operation.kind)) + (target.empty() ? "" : "(" + target + ")");
}

std::string describe(const TraceVariant& variant) {
    switch (variant.kind) {
        case Variant::Kind::Wake:
        case Variant::Kind::Subset:
            return " wakes " + join(variant.threads);
        case Variant::Kind::Timeout:
            return " times out";
        case Variant::Kind::Spurious:
            return " wakes up spuriously";
        case Variant::Kind::Value:
            return " -> " + std::to_string(variant.value);
        case Variant::Kind::Cancel:
            return " is cancelled";
        case Variant::Kind::Normal:
            break;
    }
    return "";
}

bool same_bug(const TraceFinding& left, const TraceFinding& right) {
    if (left.kind != right.kind || left.confirmed != right.confirmed) {
        return false;
    }
    if (left.kind == FindingKind::Deadlock) {
        return left.is_cycle == right.is_cycle && left.waits.size() == right.waits.size() &&
               std::is_permutation(left.waits.begin(), left.waits.end(), right.waits.begin(), same_wait);
    }
    if (left.race && right.race) {
        return same_race(*left.race, *right.race);
    }
    const bool same_place = left.operation.has_value() == right.operation.has_value() &&
                            (!left.operation || same_operation(*left.operation, *right.operation));
    return same_place && left.thread == right.thread && left.misuse == right.misuse &&
           without_numbers_and_folders(left.message) == without_numbers_and_folders(right.message);
}

TraceInput describe_input(const std::string& input) {
    // FNV-1a: tells inputs apart that differ by accident, which is all that is wanted of it.
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char byte : input) {
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    }
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
    TraceInput described{.bytes = input.size(), .hash = text.data()};
    if (input.size() <= longest_input) {
        described.text = input;
    }
    return described;
}

unsigned count_preemptions(const std::vector<TraceStep>& steps) {
    return static_cast<unsigned>(std::count_if(steps.begin(), steps.end(), [](const TraceStep& step) {
        return step.switched == SwitchKind::Preemption;
    }));
}

}  // namespace coopcheck
