#include "explorer/history_strategy.hpp"

#include <algorithm>
#include <utility>

namespace coopcheck {

namespace {

/// What tells the variants of one operation apart; nothing if there is only one.
std::string variant_text(const Candidate& candidate, Variant variant, const Names& names) {
    if (candidate.variants.size() == 1) {
        return {};
    }
    switch (variant.kind) {
        case Variant::Kind::Normal:
            return " -> normal";
        case Variant::Kind::Wake:
            return " -> wake " + names.threads.name(variant.thread);
        case Variant::Kind::Subset:
            return " -> subset " + std::to_string(variant.value);
        case Variant::Kind::Timeout:
            return " -> timeout";
        case Variant::Kind::Spurious:
            return " -> spurious";
        case Variant::Kind::Value:
            return " -> " + std::to_string(variant.value);
        case Variant::Kind::Cancel:
            return " -> cancel";
    }
    return {};
}

}  // namespace

std::string HistoryStrategy::name() const {
    return "history of " + std::to_string(history_.decisions()) + " decisions, seed " +
           std::to_string(options_.seed);
}

std::string HistoryStrategy::position(const Operation& operation, const Names& names) const {
    std::string text =
        options_.site_name ? options_.site_name(operation.site) : std::to_string(operation.site);
    text += ' ';
    text += coopcheck::name(operation.kind);
    if (operation.object.valid()) {
        text += ' ' + names.objects.name(operation.object);
    }
    if (operation.thread.valid()) {
        text += ' ' + names.threads.name(operation.thread);
    }
    return text;
}

Choice HistoryStrategy::choose(const Turn& turn) {
    const Names& names = turn.execution.names();
    DecisionHistory::State state;
    std::vector<std::pair<std::string, std::size_t>> positions;
    for (std::size_t i = 0; i < turn.candidates.size(); ++i) {
        positions.emplace_back(position(turn.candidates[i].operation, names), i);
        state[positions.back().first] += 1;
    }
    // In the order of the texts, which are the same in every run of the tool.
    std::sort(positions.begin(), positions.end());
    for (const auto& [text, index] : positions) {
        const Candidate& candidate = turn.candidates[index];
        for (const Variant variant : candidate.variants) {
            const std::string decision = text + variant_text(candidate, variant, names);
            if (!history_.taken(state, decision)) {
                history_.take(state, decision);
                return {candidate.thread, variant};
            }
        }
    }
    repeated_ += 1;
    return with_any_variant(turn.candidates[random_.below(turn.candidates.size())], random_);
}

}  // namespace coopcheck
