#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/finding.hpp"
#include "core/ids.hpp"
#include "core/knowledge.hpp"
#include "core/names.hpp"
#include "core/operation.hpp"
#include "core/schedule.hpp"
#include "core/sync_model.hpp"
#include "core/variant.hpp"

namespace coopcheck {

/// A thread stopped just before its next visible operation.
struct ParkedThread {
    ThreadId thread;
    Operation operation;
};

/// The functions that had not returned, the innermost first, as sites (Operation::site).
using CallStack = std::vector<std::uint64_t>;

/// An access to data that happened inside a step (not a visible operation by itself).
struct Access {
    /// The first byte.
    Location location;
    bool write = false;
    /// A std::atomic or lock-prefixed access: it synchronizes, and cannot be one half of a race.
    bool atomic = false;
    std::uint64_t site = 0;
    std::uint32_t size = 1;
    /// A write that has read before (x++ in one instruction).
    bool also_read = false;
    /// The memory begins a new life (malloc, the stack of a new thread): whatever was done to it before is no
    /// business of those who get it now. Neither read nor written.
    bool fresh = false;
    /// Given back (free): counts as a write of all of it.
    bool freed = false;
    /// The first bytes, at most eight, before and after; 0 where they are not known.
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    /// An inlined test whether this once is done: what was done in it is seen from here on.
    ObjectId once;
    /// Where known.
    std::shared_ptr<const CallStack> stack;
};

/// How a run came to its end.
struct RunEnd {
    enum class Kind : std::uint8_t {
        AllThreadsEnded,
        ProcessExit,  ///< exit() or return from main; `code` is the exit code
        Failed,       ///< assertion, crash: `failure` says which
        Misused,      ///< SyncModel found a misuse of a primitive: `misuse`
    };
    Kind kind = Kind::AllThreadsEnded;
    int code = 0;
    FindingKind failure = FindingKind::Crash;
    std::string message;
    std::optional<Misuse> misuse;
};

/// What one step did.
struct StepResult {
    /// The operation carried out, with everything known only now (the value of a futex word).
    Operation operation;
    Variant variant;
    Outcome outcome;
    /// Data accesses made after the operation and before the thread was parked again, in order.
    /// Empty when the Execution does not watch data.
    std::vector<Access> accesses;
    /// The thread ended in this step.
    bool thread_ended = false;
    /// The whole run ended in this step, by whichever way.
    std::optional<RunEnd> end;
};

/// A node of the tree of schedules: the decisions that lead to it from the start. Made by an Execution,
/// held by a search for as long as it may want to go there again; what nobody holds any more
/// (use_count) the Execution may drop its checkpoint of.
class Place {
  public:
    Place() = default;
    Place(std::shared_ptr<const Place> parent, Choice last);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    [[nodiscard]] const std::shared_ptr<const Place>& parent() const { return parent_; }
    [[nodiscard]] Choice last() const { return last_; }
    /// The number of steps from the start.
    [[nodiscard]] std::size_t depth() const { return depth_; }
    [[nodiscard]] Schedule schedule() const;

  private:
    // Cut by the destructor of its last child without recursion, hence mutable.
    mutable std::shared_ptr<const Place> parent_;
    Choice last_;
    std::size_t depth_ = 0;
};

using PlacePtr = std::shared_ptr<const Place>;

/// Thrown when an execution has learnt something that changes what the program's operations are. Everything
/// known of it is void, its places included: begin again with restart(). That happens a finite number of
/// times.
class Refined : public std::exception {
  public:
    [[nodiscard]] const char* what() const noexcept override { return "the execution was refined"; }
};

/// Refined by a search: these locations have to be visible.
class LocationsLearnt : public Refined {
  public:
    explicit LocationsLearnt(std::vector<Location> found) : locations(std::move(found)) {}
    std::vector<Location> locations;
};

/// How precisely the accesses to memory are told.
enum class Watching : std::uint8_t {
    Off,
    /// In each step the first access to a page, and the first that writes, as accesses to the page's
    /// beginning: enough to know what steps conflict, and much cheaper.
    FirstTouch,
    Every,
};

/// A program that can be run step by step, by any thread, and taken back to any node seen before.
///
/// Call order: restart() first; then step() until it reports an end; revisit() or restart() at
/// any time. parked() lists every live thread, the disabled ones too, in the order of their ids; it is empty
/// only after the end of the run. A step is legal for a parked thread with a variant that
/// model().options() offers for its operation, or with Timeout where model().can_time_out() says so.
/// A thread that fails (assertion, fatal signal) is parked at Failure first, so that others can still run
/// before the process ends. The same schedule leads to the same node, always; an Execution that sees a
/// difference throws an Error.
class Execution {
  public:
    Execution() = default;
    virtual ~Execution() = default;
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;

    /// Back to the start: main is parked before its first visible operation.
    virtual void restart() = 0;
    [[nodiscard]] virtual std::span<const ParkedThread> parked() const = 0;
    [[nodiscard]] virtual const SyncModel& model() const = 0;
    virtual StepResult step(ThreadId thread, Variant variant) = 0;

    /// The node the program is at.
    [[nodiscard]] virtual PlacePtr here() = 0;
    /// This node again. How (a checkpoint, a replay) is the business of the Execution.
    virtual void revisit(const PlacePtr& place) = 0;

    /// From the next restart() on, every access to these locations is a visible operation
    /// (Read, Write, ReadWrite) instead of an entry of StepResult::accesses.
    virtual void set_visible(std::span<const Location> locations) = 0;

    /// From the next restart() on, until it is said otherwise, StepResult::accesses are filled so precisely.
    /// The same schedules lead to the same states with and without it, but places are those of one of them.
    /// An Execution that cannot choose ignores it.
    virtual void set_watching(Watching /*watching*/) {}
    [[nodiscard]] virtual bool can_watch() const { return false; }
    /// In the run since the last restart() it was learnt what has to be watched: accesses before are missing,
    /// and the same schedule has to be watched again.
    [[nodiscard]] virtual bool watched_too_late() const { return false; }
    /// While it was watched the program made an access to a visible location that is no operation yet,
    /// because nobody knew of the instruction. Schedules so far may have run past it: begin again, with
    /// set_visible().
    [[nodiscard]] virtual bool missed_operations() const { return false; }
    /// How much work watching has been so far, in stops of the program. The same for the same schedules.
    [[nodiscard]] virtual std::size_t watch_cost() const { return 0; }
    /// Locations that have to be visible because a thread waits for them to change in a loop of its own;
    /// learnt when Refined is thrown.
    [[nodiscard]] virtual std::vector<Location> awaited() const { return {}; }

    [[nodiscard]] virtual const Names& names() const = 0;

    /// What was learnt of the program so far.
    [[nodiscard]] virtual Knowledge knowledge() const { return {names(), {}}; }
    /// What another execution of the same program has learnt. Before a restart(); places known so far are
    /// void.
    virtual void know(const Knowledge& knowledge) = 0;

    /// What the program does that this execution cannot show, in words for the user: reasons not to believe
    /// that everything was explored.
    [[nodiscard]] virtual std::vector<std::string> blind_spots() { return {}; }

    /// A hash of everything the program's future depends on, the virtual clock apart; nothing where that is
    /// not known or too large. Slow.
    [[nodiscard]] virtual std::optional<std::uint64_t> fingerprint() { return std::nullopt; }

    /// The parked thread's entry; a thread that is not parked is a bug of the caller.
    [[nodiscard]] const ParkedThread& parked_thread(ThreadId thread) const;
};

}  // namespace coopcheck
