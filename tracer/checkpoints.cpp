#include "tracer/checkpoints.hpp"

#include <utility>

#include "tracer/available_memory.hpp"

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

bool Checkpoints::make(const std::shared_ptr<const TracedPlace>& place, Run& run) {
    forget_expired();
    if (!has_memory()) return false;
    const auto before = std::chrono::steady_clock::now();
    std::optional<Run> copy = run.make_checkpoint();
    if (!copy) {
        limits_.processes = held_.size() / 2;
        drop_some();
        return false;
    }
    average(copy_ns_, std::chrono::steady_clock::now() - before);
    place->checkpoint = std::make_unique<Run>(std::move(*copy));
    made_ += 1;
    held_.push_back(place);
    while (held_.size() > limits_.processes) drop_oldest();
    return true;
}

bool Checkpoints::drop_some() {
    forget_expired();
    if (held_.empty()) return false;
    for (std::size_t left = held_.size() / 2; held_.size() > left;) drop_oldest();
    return true;
}

void Checkpoints::drop_oldest() {
    if (const auto oldest = held_.front().lock()) oldest->checkpoint.reset();
    held_.pop_front();
}

void Checkpoints::forget_expired() {
    std::erase_if(held_, [](const auto& held) { return held.expired(); });
}

bool Checkpoints::has_memory() {
    const auto now = std::chrono::steady_clock::now();
    if (looked_at_ && now - *looked_at_ < limits_.look_interval) return enough_memory_;
    looked_at_ = now;
    const std::optional<std::uint64_t> available = available_memory();
    if (!available) return true;
    if (!limits_.leave_free_bytes) limits_.leave_free_bytes = *available / 2;
    enough_memory_ = *available >= *limits_.leave_free_bytes;
    if (!enough_memory_) drop_some();
    return enough_memory_;
}

}  // namespace coopcheck::tracer
