#include "core/execution.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"

namespace coopcheck {

Place::Place(std::shared_ptr<const Place> parent, Choice last)
    : parent_(std::move(parent)), last_(last), depth_(parent_ ? parent_->depth() + 1 : 1) {}

Place::~Place() {
    // A chain of 10,000 places must not be destroyed by 10,000 nested destructors.
    std::shared_ptr<const Place> next = std::move(parent_);
    while (next && next.use_count() == 1) {
        next = std::exchange(next->parent_, nullptr);
    }
}

Schedule Place::schedule() const {
    Schedule schedule(depth_);
    for (const Place* place = this; place->depth_ > 0; place = place->parent_.get()) {
        schedule[place->depth_ - 1] = place->last_;
    }
    return schedule;
}

const ParkedThread& Execution::parked_thread(ThreadId thread) const {
    const auto all = parked();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const ParkedThread& parked) { return parked.thread == thread; });
    COOPCHECK_CHECK(found != all.end(), "a thread that is not parked was asked for");
    return *found;
}

}  // namespace coopcheck
