#include "tracer/checkpoints.hpp"

#include <utility>

namespace coopcheck::tracer {

bool Checkpoints::worth_it(std::size_t steps_back) const {
    switch (policy_) {
        case CheckpointPolicy::Every:
            return true;
        case CheckpointPolicy::Auto: {
            // Making and later ending a copy costs about twice what making it does; a node is revisited about
            // once for every thread that could have gone on instead, so at least once.
            constexpr double whole_life = 2;
            return static_cast<double>(steps_back) * step_ns_ > whole_life * copy_ns_;
        }
        case CheckpointPolicy::Root:
        case CheckpointPolicy::None:
            break;
    }
    return false;
}

void Checkpoints::make(const std::shared_ptr<const TracedPlace>& place, Run& run) {
    std::erase_if(held_, [](const auto& held) { return held.expired(); });
    const auto before = std::chrono::steady_clock::now();
    std::optional<Run> copy = run.make_checkpoint();
    if (copy) {
        average(copy_ns_, std::chrono::steady_clock::now() - before);
        place->checkpoint = std::make_unique<Run>(std::move(*copy));
        made_ += 1;
        held_.push_back(place);
    } else {
        limits_.processes = held_.size() / 2;
    }
    while (held_.size() > limits_.processes) {
        if (const auto oldest = held_.front().lock()) oldest->checkpoint.reset();
        held_.pop_front();
    }
}

}  // namespace coopcheck::tracer
