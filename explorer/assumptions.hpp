#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/execution.hpp"
#include "core/ids.hpp"
#include "core/location.hpp"

namespace coopcheck {

/// What the search takes for granted about the program because nothing seen so far speaks against it
/// (section 8 of the design). Lives across schedules. A fact that contradicts a decision already made sets
/// contradicted(): the search is then started again with what has been learnt.
class Assumptions {
  public:
    // What the block rules ask.

    /// Somebody asks who holds this object at some instant (trylock, destroy ...).
    [[nodiscard]] bool tested(ObjectId object) const { return tested_.contains(object); }
    [[nodiscard]] bool shared(ObjectId object) const;
    /// The mutexes that waits on the condition have used so far.
    [[nodiscard]] const std::set<ObjectId>& mutexes_of(ObjectId condition) const;
    /// Blocks have to end before acquires that are made while something is held.
    [[nodiscard]] bool execute_nesting() const { return execute_nesting_; }
    /// Somebody can tell whether a thread has ended (by tryjoin, by a join that is cancelled unless it has)
    /// or was joined (by detach, by another join): when that happens matters.
    [[nodiscard]] bool exits_tested() const { return exits_tested_; }
    /// Locations that are accessed without a lock: their accesses are visible operations.
    [[nodiscard]] const std::set<Location>& racy() const { return racy_; }

    // What is learnt.

    void see_use(ThreadId thread, ObjectId object, bool unshared_locks_ignored);
    void see_test(ObjectId object);
    void see_exit_test();
    /// A join, made or attempted.
    void see_join(ThreadId thread, ThreadId target);
    void see_wait(ObjectId condition, ObjectId mutex);
    void see_signal_inside_block(ObjectId condition) { signalled_inside_.insert(condition); }
    void see_racy(Location location);
    /// The execution has learnt something.
    void see_refinement() { contradicted_ = true; }
    /// Known before the search begins: contradicts nothing.
    void know_racy(const std::vector<Location>& locations) {
        racy_.insert(locations.begin(), locations.end());
    }
    /// Something reverse lock chain analysis cannot deal with.
    void require_executed_nesting();
    /// An acquire of `wanted`, made or attempted, while `held` is held. True if the order of locks now has a
    /// cycle in which more than one thread takes part.
    bool see_lock_order(ThreadId thread, ObjectId held, ObjectId wanted);

    [[nodiscard]] bool contradicted() const { return contradicted_; }
    [[nodiscard]] unsigned refinements() const { return refinements_; }
    /// The search starts again.
    void start_over();

    /// Adds what another part of the same search has learnt. False if one of the two would have decided
    /// otherwise, had it known what the other saw: the search has to be started over.
    [[nodiscard]] bool join(const Assumptions& other, bool unshared_locks_ignored);

    /// Everything that is learnt, to be written or read (explorer/archive.hpp).
    template <typename Archive>
    void transfer_with(Archive& archive) {
        archive(users_, tested_, mutexes_, signalled_inside_, racy_, lock_order_, execute_nesting_,
                exits_tested_, joined_by_, refinements_);
    }

  private:
    [[nodiscard]] bool on_lock_order_cycle(ObjectId from, ObjectId to) const;
    [[nodiscard]] bool has_lock_order_cycle() const;
    /// Something that the other one saw speaks against what this one did.
    [[nodiscard]] bool is_contradicted_by(const Assumptions& other, bool unshared_locks_ignored) const;

    std::map<ObjectId, std::set<ThreadId>> users_;
    std::set<ObjectId> tested_;
    std::map<ObjectId, std::set<ObjectId>> mutexes_;
    std::set<ObjectId> signalled_inside_;
    std::set<Location> racy_;
    std::map<ObjectId, std::map<ObjectId, std::set<ThreadId>>> lock_order_;
    /// The first that was seen to join the thread.
    std::map<ThreadId, ThreadId> joined_by_;
    bool execute_nesting_ = false;
    bool exits_tested_ = false;
    bool contradicted_ = false;
    unsigned refinements_ = 0;
};

}  // namespace coopcheck
