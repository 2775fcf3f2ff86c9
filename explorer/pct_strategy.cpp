#include "explorer/pct_strategy.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/error.hpp"

namespace coopcheck {

PctStrategy::PctStrategy(PctOptions options) : options_(options), random_(options.seed) {
    if (options_.depth < 1) {
        throw Error("the depth of pct must be at least 1");
    }
}

std::string PctStrategy::name() const {
    return "pct of depth " + std::to_string(options_.depth) + ", seed " + std::to_string(options_.seed);
}

void PctStrategy::begin_run(std::size_t run) {
    random_ = RandomStream(options_.seed, run);
    priorities_.clear();
    change_points_.clear();
    step_ = 0;
    if (steps_ > 0) {
        for (unsigned i = 1; i < options_.depth; ++i) {
            change_points_.push_back(1 + random_.below(steps_));
        }
    }
}

std::uint64_t& PctStrategy::priority(ThreadId thread) {
    if (priorities_.size() <= thread.index()) {
        priorities_.resize(thread.index() + 1);
    }
    std::uint64_t& own = priorities_[thread.index()];
    if (own == 0) {
        // All initial priorities lie above those of the change points. That of a thread yet to be born is
        // independent of the others, so drawing it at its birth makes no difference.
        own = options_.depth + (random_.next() >> 1U);
    }
    return own;
}

Choice PctStrategy::choose(const Turn& turn) {
    const Candidate* next = nullptr;
    for (const Candidate& candidate : turn.candidates) {
        has_variants_ = has_variants_ || candidate.variants.size() > 1;
        if (next == nullptr || priority(candidate.thread) > priority(next->thread)) {
            next = &candidate;
        }
    }
    return with_any_variant(*next, random_);
}

void PctStrategy::stepped(ThreadId thread, const StepResult& /*step*/, const Execution& /*execution*/) {
    step_ += 1;
    for (std::size_t i = 0; i < change_points_.size(); ++i) {
        if (change_points_[i] == step_) {
            priority(thread) = options_.depth - 1 - i;
        }
    }
}

void PctStrategy::end_run(bool /*complete*/) {
    const auto seen = static_cast<std::size_t>(std::count_if(priorities_.begin(), priorities_.end(),
                                                             [](std::uint64_t drawn) { return drawn != 0; }));
    const bool grown = seen > threads_ || step_ > steps_;
    threads_ = std::max(threads_, seen);
    steps_ = std::max(steps_, step_);
    if (grown) {
        counted_runs_ = 0;  // the runs before were drawn for a shorter program
    } else {
        counted_runs_ += 1;
    }
}

double PctStrategy::bound_per_run() const {
    if (steps_ == 0) {
        return 0;
    }
    return 1 / (static_cast<double>(threads_) * std::pow(static_cast<double>(steps_), options_.depth - 1));
}

double PctStrategy::bound() const {
    // 1 - (1-p)^runs, exact also for tiny p.
    return -std::expm1(static_cast<double>(counted_runs_) * std::log1p(-bound_per_run()));
}

std::string PctStrategy::guarantee() const {
    if (counted_runs_ == 0) {
        return {};
    }
    char text[400];
    std::snprintf(
        text, sizeof text,
        "A bug of depth %u or less would have been found with probability %.3g or more (%zu runs with at "
        "least %.3g each), if no schedule has more than %zu threads or %zu steps%s.",
        options_.depth, bound(), counted_runs_, bound_per_run(), threads_, steps_,
        has_variants_ ? ", and if it does not depend on whom a signal wakes, on timeouts or on chosen values"
                      : "");
    return text;
}

}  // namespace coopcheck
