#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/execution.hpp"
#include "core/sync_model.hpp"
#include "explorer/happens_before.hpp"

namespace coopcheck {

/// How a byte of memory is used, as far as watched schedules have shown (rstest's classes).
enum class StorageClass : std::uint8_t {
    Unshared,     ///< by one thread
    Protected,    ///< under a lock, or read only while it is shared, or in an order that threads keep
    Unprotected,  ///< in no order, or in one that only locks made that are not the same
    Atomic,       ///< by instructions that synchronize
};

/// What all watched schedules together have shown of each byte. What Eraser forgives by its states,
/// initialization and handing over, is here what creation, joins and signals order: locks count only for
/// accesses that nothing but locks keeps apart.
class Storage {
  public:
    struct Entry {
        StorageClass storage = StorageClass::Unshared;
        std::set<ThreadId> threads;
        /// Held at every access that nothing else orders, sorted; none while there is no such access.
        std::optional<std::vector<ObjectId>> locks;
        /// One of those accesses is a write.
        bool written = false;
    };

    void begin_run();
    /// `model` is the state after the step.
    void step(ThreadId thread, const StepResult& step, const SyncModel& model);
    /// The run was watched as it should be: what it has shown counts. `racy` and `atomic` are what the race
    /// detector has seen in it.
    void believe(const std::set<Location>& racy, const std::set<Location>& atomic);

    [[nodiscard]] const std::map<Location, Entry>& all() const { return all_; }

  private:
    /// What a thread did to a byte last.
    struct Last {
        ThreadId thread;
        std::uint32_t time = 0;
        bool wrote = false;
        std::vector<ObjectId> locks;
    };
    struct Byte {
        Entry entry;
        std::vector<Last> last;
    };

    void see(ThreadId thread, const Access& access, const SyncModel& model);
    void see(Byte& byte, const Last& now);

    HappensBefore order_{HappensBefore::Edges::WithoutLocks};
    std::map<Location, Byte> run_;
    std::map<Location, Entry> all_;
};

}  // namespace coopcheck
