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

void Assumptions::see_join(ThreadId thread, ThreadId target) {
    const auto [first, is_new] = joined_by_.try_emplace(target, thread);
    if (first->second != thread) {
        see_exit_test();  // the second one can tell that it is not the first
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

bool Assumptions::has_lock_order_cycle() const {
    for (const auto& [held, wants] : lock_order_) {
        for (const auto& [wanted, by] : wants) {
            if (on_lock_order_cycle(wanted, held)) {
                return true;
            }
        }
    }
    return false;
}

bool Assumptions::is_contradicted_by(const Assumptions& other, bool unshared_locks_ignored) const {
    for (const ObjectId object : other.tested_) {
        if (!tested_.contains(object) && users_.contains(object)) {
            return true;
        }
    }
    for (const ObjectId condition : signalled_inside_) {
        const std::set<ObjectId>& mutexes = mutexes_of(condition);
        for (const ObjectId mutex : other.mutexes_of(condition)) {
            if (!mutexes.contains(mutex)) {
                return true;
            }
        }
    }
    for (const auto& [object, users] : users_) {
        const auto others = other.users_.find(object);
        const bool is_alone = unshared_locks_ignored && users.size() == 1;
        if (is_alone && others != other.users_.end() && others->second != users) {
            return true;
        }
    }
    return false;
}

bool Assumptions::join(const Assumptions& other, bool unshared_locks_ignored) {
    bool is_consistent = !is_contradicted_by(other, unshared_locks_ignored) &&
                         !other.is_contradicted_by(*this, unshared_locks_ignored) && racy_ == other.racy_ &&
                         execute_nesting_ == other.execute_nesting_ && exits_tested_ == other.exits_tested_;
    for (const auto& [object, users] : other.users_) users_[object].insert(users.begin(), users.end());
    tested_.insert(other.tested_.begin(), other.tested_.end());
    for (const auto& [condition, mutexes] : other.mutexes_) {
        mutexes_[condition].insert(mutexes.begin(), mutexes.end());
    }
    signalled_inside_.insert(other.signalled_inside_.begin(), other.signalled_inside_.end());
    racy_.insert(other.racy_.begin(), other.racy_.end());
    execute_nesting_ = execute_nesting_ || other.execute_nesting_;
    exits_tested_ = exits_tested_ || other.exits_tested_;
    for (const auto& [target, thread] : other.joined_by_) {
        const bool was_tested = exits_tested_;
        see_join(thread, target);
        is_consistent = is_consistent && exits_tested_ == was_tested;
    }
    bool has_new_order = false;
    for (const auto& [held, wants] : other.lock_order_) {
        for (const auto& [wanted, threads] : wants) {
            std::set<ThreadId>& known = lock_order_[held][wanted];
            const std::size_t before = known.size();
            known.insert(threads.begin(), threads.end());
            has_new_order = has_new_order || known.size() != before;
        }
    }
    if (has_new_order && !execute_nesting_ && has_lock_order_cycle()) {
        execute_nesting_ = true;
        is_consistent = false;
    }
    return is_consistent;
}

void Assumptions::start_over() {
    contradicted_ = false;
    refinements_ += 1;
}

}  // namespace coopcheck
