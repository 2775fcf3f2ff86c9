#include "core/finding.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace coopcheck {

std::string_view describe(FindingKind kind) {
    switch (kind) {
        case FindingKind::Deadlock:
            return "deadlock";
        case FindingKind::Assertion:
            return "assertion";
        case FindingKind::Crash:
            return "crash";
        case FindingKind::BadExit:
            return "bad exit";
        case FindingKind::WrongOutput:
            return "wrong output";
        case FindingKind::Race:
            return "race";
        case FindingKind::Misuse:
            return "misuse";
        case FindingKind::Livelock:
            return "livelock";
    }
    COOPCHECK_CHECK(false, "a finding of no kind");
}

std::string Finding::key() const {
    std::string key{describe(kind)};
    const auto add = [&](std::uint64_t number) { key += ' ' + std::to_string(number); };
    key += confirmed ? "" : " predicted";
    if (kind == FindingKind::Deadlock) {
        std::vector<Wait> sorted = waits;
        std::sort(sorted.begin(), sorted.end(),
                  [](const Wait& left, const Wait& right) { return left.thread < right.thread; });
        for (const Wait& wait : sorted) {
            add(wait.thread.index());
            add(static_cast<std::uint64_t>(wait.operation.kind));
            add(wait.operation.object.index());
            add(wait.operation.thread.index());
        }
        return key;
    }
    add(thread.index());
    add(static_cast<std::uint64_t>(operation.kind));
    add(operation.object.index());
    add(operation.thread.index());
    add(operation.location.value());
    add(misuse ? static_cast<std::uint64_t>(*misuse) + 1 : 0);
    return key + ' ' + message;
}

}  // namespace coopcheck
