#include "explorer/noise_policy.hpp"

#include <algorithm>

namespace coopcheck {

void NoisePolicy::start(std::uint64_t run) {
    run_ = run;
    streams_.clear();
}

Noise NoisePolicy::decide(const NoisePoint& point) {
    const std::uint64_t seed_of_thread = RandomStream(options_.seed, point.thread.index()).next();
    RandomStream& stream =
        streams_.try_emplace(point.thread, RandomStream(seed_of_thread, run_)).first->second;
    if (!stream.chance(probability_at(point))) {
        return {};
    }
    const auto longest = static_cast<std::uint64_t>(std::max<std::int64_t>(options_.longest.count(), 1));
    constexpr std::uint64_t nice_values = 20;
    switch (options_.kind) {
        case NoiseKind::None:
            return {};
        case NoiseKind::Sleep:
            return {NoiseKind::Sleep, std::chrono::microseconds(stream.below(longest) + 1), 0};
        case NoiseKind::Yield:
            return {NoiseKind::Yield, options_.longest, 0};
        case NoiseKind::Priority:
            return {NoiseKind::Priority, {}, static_cast<int>(stream.below(nice_values))};
    }
    return {};
}

double NoisePolicy::probability_at(const NoisePoint& point) const {
    bool is_new = false;
    switch (options_.model) {
        case NoiseModel::None:
            return options_.probability;
        case NoiseModel::Functions:
            is_new = !coverage_.interrupted().contains(point.function);
            break;
        case NoiseModel::Pairs:
            is_new = could_cover_pair(point);
            break;
    }
    // What has no name cannot be covered.
    if (point.function.empty()) {
        return options_.probability;
    }
    return is_new ? options_.probability_of_new : options_.probability_of_old;
}

bool NoisePolicy::could_cover_pair(const NoisePoint& point) const {
    return std::any_of(point.others.begin(), point.others.end(), [&](const std::string& other) {
        if (!coverage_.pairs().contains({point.function, other})) {
            return true;
        }
        // Going on, the other thread may come to be interrupted in its turn by something new.
        return std::any_of(coverage_.functions().begin(), coverage_.functions().end(),
                           [&](const std::string& third) {
                               return !coverage_.pairs().contains({other, third});
                           });
    });
}

}  // namespace coopcheck
