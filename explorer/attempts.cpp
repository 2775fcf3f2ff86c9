#include "explorer/attempts.hpp"

#include <algorithm>

namespace coopcheck {

void Attempts::look_at(const std::vector<const Event*>& events, const EventOrder& order) {
    events_ = &events;
    order_ = &order;
    dependents_.assign(events.size(), std::nullopt);
}

const Attempts::Numbers& Attempts::dependents(std::size_t event) {
    std::optional<Numbers>& known = dependents_[event];
    if (!known) {
        known.emplace();
        const Event& one = *(*events_)[event];
        for (std::size_t number = 0; number < events_->size(); ++number) {
            const Event& other = *(*events_)[number];
            if (other.thread != one.thread && other.label.depends_on(one.label)) {
                known->push_back(number);
            }
        }
    }
    return *known;
}

bool Attempts::is_needed_from(std::size_t number, ThreadId thread, std::size_t event) {
    for (std::size_t later = event; later < events_->size(); ++later) {
        if ((*events_)[later]->thread == thread || (later != event && !order_->before(event, later))) {
            continue;
        }
        const std::size_t previous = order_->previous_of_thread(later);
        const Numbers& all = dependents(later);
        const bool is_needed = std::any_of(all.begin(), all.end(), [&](std::size_t own) {
            // If it comes after something else that has to wait for the thread, it is that which matters.
            return own >= number && (*events_)[own]->thread == thread &&
                   (later < own || previous == EventOrder::none || !order_->before(own, previous));
        });
        if (is_needed) {
            return true;
        }
    }
    return false;
}

bool Attempts::matters(std::size_t at, std::size_t number, ThreadId thread, const Label& label) {
    if (!(*events_)[at]->label.depends_on(label)) {
        return false;
    }
    const bool was_carried_out = number < events_->size();
    for (std::size_t own = order_->previous_of_thread(number);
         own != EventOrder::none && own > at && !order_->before(at, own);
         own = order_->previous_of_thread(own)) {
        for (const std::size_t other : dependents(own)) {
            if (other > at && (!was_carried_out || is_needed_from(number, thread, other))) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace coopcheck
