#include "explorer/assumptions.hpp"

#include <functional>

namespace coopcheck {

bool Assumptions::shared(ObjectId object) const {
    const auto position = users_.find(object);
    return position != users_.end() && position->second.size() > 1;
}

const std::set<ObjectId>& Assumptions::mutexes_of(ObjectId condition) const {
    static const std::set<ObjectId> none;
    const auto position = mutexes_.find(condition);
    return position == mutexes_.end() ? none : position->second;
}

void Assumptions::see_use(ThreadId thread, ObjectId object, bool unshared_locks_ignored) {
    std::set<ThreadId>& users = users_[object];
    const bool is_new = users.insert(thread).second;
    if (is_new && users.size() == 2 && unshared_locks_ignored) {
        contradicted_ = true;  // the first user's releases ended no block
    }
}

void Assumptions::see_test(ObjectId object) {
    if (tested_.insert(object).second && users_.contains(object)) {
        contradicted_ = true;  // earlier acquires ended no block
    }
}

void Assumptions::see_exit_test() {
    if (!exits_tested_) {
        exits_tested_ = true;
        contradicted_ = true;  // threads that have ended before pushed no branch
    }
}

void Assumptions::see_wait(ObjectId condition, ObjectId mutex) {
    if (mutexes_[condition].insert(mutex).second && signalled_inside_.contains(condition)) {
        contradicted_ = true;  // a signal was taken to be made with "the" mutex held
    }
}

void Assumptions::see_racy(Location location) {
    if (racy_.insert(location).second) {
        contradicted_ = true;
    }
}

void Assumptions::require_executed_nesting() {
    if (!execute_nesting_) {
        execute_nesting_ = true;
        contradicted_ = true;
    }
}

bool Assumptions::see_lock_order(ThreadId thread, ObjectId held, ObjectId wanted) {
    return lock_order_[held][wanted].insert(thread).second && on_lock_order_cycle(wanted, held);
}

bool Assumptions::on_lock_order_cycle(ObjectId from, ObjectId to) const {
    // Everything on some way from `from` to `to`, and the threads that made those ways. That all of them
    // lie on one cycle is not checked: too many cycles only cost time.
    std::set<ObjectId> reached;
    const std::function<bool(ObjectId)> reaches = [&](ObjectId object) {
        if (object == to) {
            return true;
        }
        if (!reached.insert(object).second) {
            return false;
        }
        const auto next = lock_order_.find(object);
        if (next == lock_order_.end()) {
            return false;
        }
        bool found = false;
        for (const auto& [wanted, threads] : next->second) {
            found = reaches(wanted) || found;
        }
        return found;
    };
    if (!reaches(from)) {
        return false;
    }
    std::set<ThreadId> threads;
    for (const auto& [held, wants] : lock_order_) {
        for (const auto& [wanted, by] : wants) {
            const bool around =
                (reached.contains(held) || held == to) && (reached.contains(wanted) || wanted == to);
            if (around) {
                threads.insert(by.begin(), by.end());
            }
        }
    }
    return threads.size() > 1;
}

void Assumptions::start_over() {
    contradicted_ = false;
    refinements_ += 1;
}

}  // namespace coopcheck
