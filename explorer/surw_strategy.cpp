#include "explorer/surw_strategy.hpp"

#include <algorithm>
#include <utility>

namespace coopcheck {

namespace {

/// The objects and locations an operation is about: none, one, or a condition and its mutex. Unlike a
/// footprint they do not depend on the state, so that counts of one run hold for others.
std::vector<std::pair<Location, bool>> targets(const Operation& operation) {
    const OpTraits& row = traits(operation.kind);
    std::vector<std::pair<Location, bool>> all;
    if (operation.object.valid()) {
        all.emplace_back(Location::object(operation.object), row.object != Touch::Read);
    }
    if (operation.mutex.valid()) {
        all.emplace_back(Location::object(operation.mutex), true);
    }
    switch (operation.kind) {
        case OpKind::Read:
            all.emplace_back(operation.location, false);
            break;
        case OpKind::Write:
        case OpKind::ReadWrite:
        case OpKind::Output:
            all.emplace_back(operation.location, true);
            break;
        default:
            break;
    }
    return all;
}

}  // namespace

std::string SurwStrategy::name() const {
    return (options_.all_operations ? "surw on all operations, seed "
                                    : "surw on " + std::to_string(options_.locations) + " locations, seed ") +
           std::to_string(options_.seed);
}

std::size_t& SurwStrategy::weight(ThreadId thread) {
    if (weights_.size() <= thread.index()) {
        weights_.resize(thread.index() + 1);
    }
    return weights_[thread.index()];
}

bool SurwStrategy::is_interesting(const Operation& operation) const {
    if (options_.all_operations) {
        return true;
    }
    const auto all = targets(operation);
    return std::any_of(all.begin(), all.end(),
                       [&](const auto& target) { return selected_.contains(target.first); });
}

void SurwStrategy::begin_run(std::size_t run) {
    random_ = RandomStream(options_.seed, run);
    intended_ = ThreadId{};
    if (!profiled_) {
        profile_.clear();
        sharing_.clear();
        return;
    }
    select_locations();
    weigh_threads();
}

void SurwStrategy::select_locations() {
    selected_.clear();
    std::vector<Location> left = shared_;
    for (std::size_t i = 0; i < options_.locations && !left.empty(); ++i) {
        const auto next = left.begin() + static_cast<std::ptrdiff_t>(random_.below(left.size()));
        selected_.insert(*next);
        left.erase(next);
    }
}

std::size_t SurwStrategy::own_weight(const ThreadProfile& profile) const {
    if (options_.all_operations) {
        return profile.operations;
    }
    std::size_t sum = 0;
    for (const Location location : selected_) {
        const auto found = profile.on.find(location);
        sum += found == profile.on.end() ? 0 : found->second;
    }
    return sum;
}

void SurwStrategy::weigh_threads() {
    weights_.clear();
    for (const auto& [thread, profile] : profile_) {
        // To the thread itself and to all who have yet to create it, directly or not.
        const std::size_t own = own_weight(profile);
        for (ThreadId to = thread; to.valid(); to = profile_.at(to).parent) {
            weight(to) += own;
        }
    }
}

void SurwStrategy::draw_intended(const Turn& turn) {
    std::uint64_t total = 0;
    for (const Candidate& candidate : turn.candidates) {
        std::size_t& own = weight(candidate.thread);
        if (own == 0 && is_interesting(candidate.operation)) {
            own = 1;  // it does more than it did in the profile
        }
        total += own;
    }
    intended_ = ThreadId{};
    if (total == 0) {
        return;
    }
    std::uint64_t drawn = random_.below(total);
    for (const Candidate& candidate : turn.candidates) {
        const std::size_t own = weight(candidate.thread);
        if (drawn < own) {
            intended_ = candidate.thread;
            return;
        }
        drawn -= own;
    }
}

Choice SurwStrategy::choose(const Turn& turn) {
    std::vector<const Candidate*> free;
    const auto find_free = [&] {
        for (const Candidate& candidate : turn.candidates) {
            if (!profiled_ || candidate.thread == intended_ || !is_interesting(candidate.operation)) {
                free.push_back(&candidate);
            }
        }
    };
    if (profiled_ && !intended_.valid()) {
        draw_intended(turn);
    }
    find_free();
    if (free.empty()) {
        // The intended thread cannot go on, and all others are held for it: somebody else has to be.
        draw_intended(turn);
        find_free();
    }
    return with_any_variant(*free[free.size() == 1 ? 0 : random_.below(free.size())], random_);
}

void SurwStrategy::record(ThreadId thread, const Operation& operation) {
    ThreadProfile& own = profile_[thread];
    own.operations += 1;
    for (const auto& [location, write] : targets(operation)) {
        own.on[location] += 1;
        Sharing& sharing = sharing_[location];
        sharing.threads.insert(thread);
        sharing.written = sharing.written || write;
    }
    if (operation.kind == OpKind::ThreadCreate) {
        profile_[operation.thread].parent = thread;
    }
}

void SurwStrategy::stepped(ThreadId thread, const StepResult& step, const Execution& /*execution*/) {
    if (!profiled_) {
        record(thread, step.operation);
        return;
    }
    if (is_interesting(step.operation)) {
        std::size_t& own = weight(thread);
        own -= own > 0 ? 1 : 0;
        intended_ = ThreadId{};
    }
    if (step.operation.kind == OpKind::ThreadCreate) {
        // What the child has to do is its own business from now on; so is, in proportion, being intended.
        const ThreadId child = step.operation.thread;
        const std::size_t before = weight(thread);
        const std::size_t moved = std::min(before, weight(child));
        if (intended_ == thread && before > 0 && random_.below(before) < moved) {
            intended_ = child;
        }
        weight(thread) -= moved;
    }
}

void SurwStrategy::end_run(bool complete) {
    if (profiled_ || !complete) {
        return;
    }
    profiled_ = true;
    shared_.clear();
    for (const auto& [location, sharing] : sharing_) {
        if (sharing.threads.size() > 1 && sharing.written) {
            shared_.push_back(location);
        }
    }
}

}  // namespace coopcheck
