#include "explorer/race_state.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/access.hpp"

namespace coopcheck {

namespace {

const ParkedThread* find_parked(const Execution& execution, ThreadId thread) {
    const auto all = execution.parked();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const ParkedThread& parked) { return parked.thread == thread; });
    return found == all.end() ? nullptr : &*found;
}

bool is_plain_access(const ParkedThread& parked) {
    return is_access(parked.operation) && !parked.operation.atomic &&
           parked.operation.location.kind() == Location::Kind::Memory;
}

RaceSide side_of(const Execution& execution, const ParkedThread& parked) {
    const Operation& operation = parked.operation;
    RaceSide side;
    side.thread = parked.thread;
    side.access.location = operation.location;
    side.access.write = operation.kind != OpKind::Read;
    side.access.also_read = operation.kind == OpKind::ReadWrite;
    side.access.site = operation.site;
    side.access.size = operation.size;
    const std::vector<ObjectId>& held = execution.model().held(parked.thread);
    side.locks.assign(held.begin(), held.end());
    return side;
}

std::optional<Finding> race_of(const Execution& execution, const ParkedThread& first,
                               const ParkedThread& second) {
    if (!is_plain_access(first) || !is_plain_access(second)) {
        return std::nullopt;
    }
    Race race{side_of(execution, first), side_of(execution, second)};
    race.side_by_side = true;
    const bool conflict = race.first.access.write || race.second.access.write;
    if (!conflict || !common_bytes(race.first.access, race.second.access).any()) {
        return std::nullopt;
    }
    Finding finding;
    finding.kind = FindingKind::Race;
    finding.thread = second.thread;
    finding.operation = second.operation;
    finding.operation.value = 0;
    finding.race = std::make_shared<const Race>(std::move(race));
    return finding;
}

}  // namespace

CommonBytes common_bytes(const Access& left, const Access& right) {
    return {std::max(left.location.value(), right.location.value()),
            std::min(left.location.value() + left.size, right.location.value() + right.size)};
}

std::optional<Finding> race_of(const Execution& execution, ThreadId first, ThreadId second) {
    const ParkedThread* left = find_parked(execution, first);
    const ParkedThread* right = find_parked(execution, second);
    return left == nullptr || right == nullptr || left == right ? std::nullopt
                                                                : race_of(execution, *left, *right);
}

std::optional<Finding> race_in_state(const Execution& execution, const Race& race) {
    for (const ParkedThread& first : execution.parked()) {
        if (first.operation.site != race.first.access.site || !is_plain_access(first)) {
            continue;
        }
        for (const ParkedThread& second : execution.parked()) {
            if (second.operation.site != race.second.access.site || second.thread == first.thread) {
                continue;
            }
            if (std::optional<Finding> finding = race_of(execution, first, second)) {
                return finding;
            }
        }
    }
    return std::nullopt;
}

}  // namespace coopcheck
