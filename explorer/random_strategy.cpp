#include "explorer/random_strategy.hpp"

#include <algorithm>
#include <cstdio>

#include "core/error.hpp"

namespace coopcheck {

std::string UniformStrategy::name() const { return "uniform, seed " + std::to_string(seed_); }

Choice UniformStrategy::choose(const Turn& turn) {
    const std::size_t count = turn.candidates.size();
    return with_any_variant(turn.candidates[count == 1 ? 0 : random_.below(count)], random_);
}

SwitchingStrategy::SwitchingStrategy(SwitchingOptions options) : options_(options), random_(options.seed) {
    if (!(options_.switch_probability >= 0 && options_.switch_probability < 1)) {
        throw Error("the probability of a switch must be at least 0 and less than 1");
    }
}

std::string SwitchingStrategy::name() const {
    char probability[32];
    std::snprintf(probability, sizeof probability, "%g", options_.switch_probability);
    return std::string("random, switch probability ") + probability + ", seed " +
           std::to_string(options_.seed);
}

void SwitchingStrategy::begin_run(std::size_t run) {
    random_ = RandomStream(options_.seed, run);
    ready_.clear();
}

Choice SwitchingStrategy::choose(const Turn& turn) {
    const auto candidate_of = [&](ThreadId thread) {
        return std::find_if(turn.candidates.begin(), turn.candidates.end(),
                            [&](const Candidate& candidate) { return candidate.thread == thread; });
    };
    std::erase_if(ready_, [&](ThreadId thread) { return candidate_of(thread) == turn.candidates.end(); });
    for (const Candidate& candidate : turn.candidates) {
        if (std::find(ready_.begin(), ready_.end(), candidate.thread) == ready_.end()) {
            ready_.push_back(candidate.thread);
        }
    }
    // With one thread alone a switch leads back to it.
    while (ready_.size() > 1 && random_.chance(options_.switch_probability)) {
        std::rotate(ready_.begin(), ready_.begin() + 1, ready_.end());
    }
    return with_any_variant(*candidate_of(ready_.front()), random_);
}

}  // namespace coopcheck
