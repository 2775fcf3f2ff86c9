#include "explorer/follow_free.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "explorer/deadlock.hpp"
#include "explorer/plan.hpp"
#include "explorer/run_findings.hpp"
#include "explorer/walk.hpp"

namespace coopcheck {

namespace {

/// Operations that an execution shows and a free run does not.
bool is_unrecorded(OpKind kind) {
    switch (kind) {
        case OpKind::CondResume:
        case OpKind::BarrierResume:
        case OpKind::RwWriteResume:
        case OpKind::FutexWait:
        case OpKind::FutexResume:
        case OpKind::FutexWake:
        case OpKind::OnceDone:
        case OpKind::OnceAbort:
        case OpKind::Sleep:
        case OpKind::Yield:
        case OpKind::Choose:
        case OpKind::Read:
        case OpKind::Write:
        case OpKind::ReadWrite:
        case OpKind::SystemCall:
        case OpKind::Output:
            return true;
        default:
            return false;
    }
}

/// Those of them that a free thread comes through at once, on its way to where it is seen next.
bool is_passed(OpKind kind) {
    switch (kind) {
        case OpKind::FutexWake:
        case OpKind::OnceDone:
        case OpKind::Sleep:
        case OpKind::Yield:
        case OpKind::Choose:
        case OpKind::Output:
        case OpKind::SystemCall:
            return true;
        default:
            return false;
    }
}

/// Whether it is known only later when it took place.
bool may_wait(OpKind kind) {
    switch (kind) {
        case OpKind::MutexLock:
        case OpKind::RwReadLock:
        case OpKind::RwWriteLock:
        case OpKind::SpinLock:
        case OpKind::SemWait:
        case OpKind::ThreadJoin:
        case OpKind::OnceEnter:
            return true;
        default:
            return false;
    }
}

class Follower {
  public:
    Follower(Execution& execution, const std::vector<FreeOperation>& operations, const Names& names,
             const FollowOptions& options)
        : walk_(execution), operations_(operations), names_(names), options_(options) {
        next_.resize(operations.size(), never);
        std::map<ThreadId, std::size_t> last;
        for (std::size_t index = 0; index < operations.size(); ++index) {
            const auto [position, is_first] = last.try_emplace(operations[index].thread, index);
            if (!is_first) {
                next_[position->second] = index;
            }
            position->second = index;
        }
    }

    Followed run() {
        walk_.restart();
        for (std::size_t index = 0; index < operations_.size() && !over_; ++index) {
            const std::optional<ThreadId> thread = thread_of(operations_[index]);
            if (!thread || !take_turn(*thread, index)) {
                result_.skipped += 1;
            }
        }
        while (!over_) {
            const std::optional<ThreadId> next = next_without_preemption(walk_, TurnOrder::Ascending);
            if (!next) {
                result_.finding = finding_of_stuck(walk_.execution(), records());
                break;
            }
            step(*next);
        }
        return std::move(result_);
    }

  private:
    static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

    [[nodiscard]] const Operation* parked(ThreadId thread) const {
        const auto all = walk_.execution().parked();
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const ParkedThread& entry) { return entry.thread == thread; });
        return found == all.end() ? nullptr : &found->operation;
    }

    /// The execution's own id for the thread; nothing if it has not made it yet, or it has ended.
    [[nodiscard]] std::optional<ThreadId> thread_of(const FreeOperation& operation) const {
        const std::string& name = names_.threads.name(operation.thread);
        for (const ParkedThread& entry : walk_.execution().parked()) {
            if (walk_.execution().names().threads.name(entry.thread) == name) {
                return entry.thread;
            }
        }
        return std::nullopt;
    }

    /// False if it was not possible; an operation that is put off counts as possible.
    bool take_turn(ThreadId thread, std::size_t index) {
        const OpKind kind = operations_[index].operation.kind;
        if (!arrive(thread, kind)) {
            return false;
        }
        if (over_) {
            return true;
        }
        turn_[thread] = index;
        if (may_wait(kind) && (!walk_.can_go_on(thread) || is_overtaken(index))) {
            put_off_.insert(thread);
            result_.made += 1;
            return true;
        }
        if (!walk_.can_go_on(thread)) {
            return false;
        }
        step(thread);
        result_.made += 1;
        pass(thread);
        return true;
    }

    /// Lets the thread make what it has put off and what is not recorded, up to an operation of this kind, or
    /// any other that is recorded.
    bool arrive(ThreadId thread, OpKind kind) {
        for (;;) {
            const Operation* operation = parked(thread);
            if (over_) {
                return true;
            }
            if (operation == nullptr) {
                return false;
            }
            const bool is_put_off = put_off_.contains(thread);
            if (!is_put_off && (operation->kind == kind || !is_unrecorded(operation->kind))) {
                return true;
            }
            const bool can_go_on = walk_.can_go_on(thread) || help(thread);
            if (over_) {
                return true;
            }
            const Choice too_late{thread, Variant::timeout()};
            if (!can_go_on && !walk_.is_legal(too_late)) {
                return false;
            }
            put_off_.erase(thread);
            step(can_go_on ? Choice{thread, variant_for(thread)} : too_late);
        }
    }

    /// The thread waits. Others may have come further than it was recorded.
    bool help(ThreadId thread) {
        for (bool has_moved = true; has_moved && !over_;) {
            has_moved = false;
            std::vector<ThreadId> others;
            for (const ParkedThread& entry : walk_.execution().parked()) {
                if (entry.thread != thread && !put_off_.contains(entry.thread) &&
                    (is_unrecorded(entry.operation.kind) || entry.operation.kind == OpKind::ThreadExit)) {
                    others.push_back(entry.thread);
                }
            }
            for (const ThreadId other : others) {
                if (over_ || walk_.can_go_on(thread)) {
                    return true;
                }
                if (walk_.can_go_on(other)) {
                    step(other);
                    has_moved = true;
                }
            }
        }
        return over_ || walk_.can_go_on(thread);
    }

    void pass(ThreadId thread) {
        for (;;) {
            const Operation* operation = over_ ? nullptr : parked(thread);
            if (operation == nullptr || !is_passed(operation->kind) || !walk_.can_go_on(thread)) {
                return;
            }
            step(thread);
        }
    }

    /// Of a signal that one of several threads may get: it was the one that is seen again first.
    [[nodiscard]] Variant variant_for(ThreadId thread) const {
        const std::vector<Variant> options = walk_.options(thread);
        const auto seen_again = [&](const Variant& option) {
            const auto turn = turn_.find(option.thread);
            return option.kind != Variant::Kind::Wake || turn == turn_.end() ? never : next_[turn->second];
        };
        return *std::min_element(options.begin(), options.end(), [&](const Variant& one, const Variant& two) {
            return seen_again(one) < seen_again(two);
        });
    }

    /// The object for which a thread that makes this operation may have to wait; invalid if there is none.
    [[nodiscard]] ObjectId asked_for(std::size_t index) const {
        const Operation& operation = operations_[index].operation;
        if (may_wait(operation.kind)) {
            return operation.object;
        }
        return operation.kind == OpKind::CondWait ? operation.mutex : ObjectId{};
    }

    /// Somebody else who asks for the same object before this thread is seen again is itself seen again
    /// earlier. As this thread would have had the object until then, it was not served first. (Where several
    /// can have the object nothing is lost: the operation is made later.)
    [[nodiscard]] bool is_overtaken(std::size_t index) const {
        const auto overtakes = [&](std::size_t other) {
            return operations_[other].thread != operations_[index].thread &&
                   asked_for(other) == operations_[index].operation.object && next_[other] < next_[index];
        };
        if (!operations_[index].operation.object.valid()) {
            return false;
        }
        for (std::size_t later = index + 1; later < std::min(next_[index], operations_.size()); ++later) {
            if (may_wait(operations_[later].operation.kind) && overtakes(later)) {
                return true;
            }
        }
        const auto still_asks = [&](const ParkedThread& entry) {
            return put_off_.contains(entry.thread) || entry.operation.kind == OpKind::CondResume;
        };
        const auto all = walk_.execution().parked();
        return std::any_of(all.begin(), all.end(), [&](const ParkedThread& entry) {
            const auto turn = turn_.find(entry.thread);
            return turn != turn_.end() && still_asks(entry) && overtakes(turn->second);
        });
    }

    void step(ThreadId thread) { step({thread, variant_for(thread)}); }

    void step(Choice choice) {
        const ThreadId thread = choice.thread;
        const StepResult result = walk_.step(choice);
        Execution& execution = walk_.execution();
        if (result.end) {
            result_.finding = finding_of_end(*result.end, records(), execution, options_.judge);
            over_ = true;
            return;
        }
        const Operation* next = parked(thread);
        if (next != nullptr && !walk_.can_go_on(thread)) {
            if (auto cycle = find_wait_cycle(execution, thread)) {
                result_.finding = finding_of_cycle(std::move(*cycle), records());
                over_ = true;
            }
        }
        if (walk_.steps().size() >= options_.most_steps) {
            result_.too_long = true;
            over_ = true;
        }
    }

    [[nodiscard]] std::vector<StepRecord> records() const {
        std::vector<StepRecord> all;
        all.reserve(walk_.steps().size());
        for (const WalkStep& step : walk_.steps()) {
            all.push_back({step.choice.thread, step.operation, step.choice.variant, step.preempting});
        }
        return all;
    }

    Walk walk_;
    const std::vector<FreeOperation>& operations_;
    const Names& names_;
    const FollowOptions& options_;
    /// For each operation the next one of the same thread.
    std::vector<std::size_t> next_;
    /// For each thread the index of the operation that had its turn last, and the threads that have still to
    /// make it.
    std::map<ThreadId, std::size_t> turn_;
    std::set<ThreadId> put_off_;
    Followed result_;
    bool over_ = false;
};

}  // namespace

Followed follow_free_run(Execution& execution, const std::vector<FreeOperation>& operations,
                         const Names& names, const FollowOptions& options) {
    // An execution is refined a finite number of times.
    for (;;) {
        try {
            return Follower(execution, operations, names, options).run();
        } catch (const Refined&) {
            continue;
        }
    }
}

}  // namespace coopcheck
