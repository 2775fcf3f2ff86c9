#include "explorer/search_cut.hpp"

#include <algorithm>
#include <map>

namespace coopcheck {

namespace {

/// The run of the last thread goes on in this branch.
bool goes_on(const Branch& branch) {
    const Node& node = branch.node;
    if (branch.current) return *branch.current == node.last;
    return std::binary_search(node.enabled.begin(), node.enabled.end(), node.last);
}

/// Places 1 to size - 1 of a stack: whether a footprint that grows above is relied on below.
std::vector<bool> forbidden_places(const std::vector<Branch>& stack) {
    std::map<const Footprint*, std::size_t> lowest_reader;
    for (std::size_t index = stack.size(); index-- > 0;) {
        for (const Delayed& delayed : stack[index].node.delayed) {
            lowest_reader[delayed.footprint.get()] = index;
        }
    }
    // Cutting at a place separates the branch before it from the one at it.
    std::vector<bool> forbidden(stack.size() + 1, false);
    const auto forbid = [&](const Footprint* grows, std::size_t grower) {
        const auto reader = lowest_reader.find(grows);
        if (grows == nullptr || reader == lowest_reader.end()) return;
        for (std::size_t place = reader->second + 1; place <= grower; ++place) forbidden[place] = true;
    };
    for (std::size_t index = 0; index < stack.size(); ++index) {
        forbid(stack[index].footprint.get(), index);
        if (goes_on(stack[index])) forbid(stack[index].node.run.get(), index);
    }
    return forbidden;
}

}  // namespace

std::optional<std::size_t> place_to_cut(const std::vector<Branch>& stack,
                                        const std::function<bool(const Branch&)>& has_work) {
    const auto work = static_cast<std::size_t>(std::count_if(stack.begin(), stack.end(), has_work));
    if (work < 2) return std::nullopt;
    const std::vector<bool> forbidden = forbidden_places(stack);
    std::optional<std::size_t> best;
    std::size_t best_distance = 0;
    std::size_t below = 0;
    for (std::size_t place = 1; place < stack.size(); ++place) {
        below += has_work(stack[place - 1]) ? 1 : 0;
        if (below == 0 || forbidden[place]) continue;
        if (below == work) break;
        const std::size_t above = work - below;
        const std::size_t distance = below > above ? below - above : above - below;
        if (!best || distance < best_distance) {
            best = place;
            best_distance = distance;
        }
    }
    return best;
}

}  // namespace coopcheck
