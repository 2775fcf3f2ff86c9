#include "explorer/lock_order_cycles.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace coopcheck {

namespace {

using Locks = std::set<ObjectId>;

/// A thread took `wanted` while it held `held`.
struct Nesting {
    ThreadId thread;
    ObjectId held;
    ObjectId wanted;
    /// Everything that it held.
    Locks all_held;
    std::size_t at = 0;
};

/// What each thread holds, step by step. A recursive mutex is held as often as it was locked.
class Holdings {
  public:
    void step(const StepRecord& step) {
        auto& held = held_[step.thread];
        const Operation& operation = step.operation;
        switch (operation.kind) {
            case OpKind::MutexLock:
                held[operation.object] += 1;
                break;
            case OpKind::CondResume:
                held[operation.mutex] += 1;
                break;
            case OpKind::MutexUnlock:
                release(held, operation.object);
                break;
            case OpKind::CondWait:
                release(held, operation.mutex);
                break;
            default:
                break;
        }
    }

    [[nodiscard]] Locks of(ThreadId thread) {
        Locks locks;
        for (const auto& [lock, times] : held_[thread]) locks.insert(lock);
        return locks;
    }

  private:
    static void release(std::map<ObjectId, std::size_t>& held, ObjectId lock) {
        const auto entry = held.find(lock);
        if (entry == held.end()) return;  // it was taken by trying
        entry->second -= 1;
        if (entry->second == 0) held.erase(entry);
    }

    std::map<ThreadId, std::map<ObjectId, std::size_t>> held_;
};

/// The first time that each thread nested each pair of locks.
std::vector<Nesting> nestings_in(const std::vector<StepRecord>& steps) {
    Holdings holdings;
    std::set<std::tuple<ThreadId, ObjectId, ObjectId>> seen;
    std::vector<Nesting> nestings;
    for (std::size_t at = 0; at < steps.size(); ++at) {
        const StepRecord& step = steps[at];
        const ObjectId wanted = step.operation.object;
        if (step.operation.kind == OpKind::MutexLock && !step.operation.timed) {
            const Locks held = holdings.of(step.thread);
            for (const ObjectId outer : held) {
                if (held.contains(wanted) || !seen.emplace(step.thread, outer, wanted).second) continue;
                nestings.push_back({step.thread, outer, wanted, held, at});
            }
        }
        holdings.step(step);
    }
    return nestings;
}

bool have_common(const Locks& left, const Locks& right) {
    return std::any_of(left.begin(), left.end(), [&](ObjectId lock) { return right.contains(lock); });
}

/// Depth first, from each nesting over those of later threads: every cycle once, from its first thread.
class CycleSearch {
  public:
    CycleSearch(const std::vector<Nesting>& nestings, std::size_t most) : nestings_(nestings), most_(most) {}

    std::vector<std::vector<ChainLink>> run() {
        for (const Nesting& first : nestings_) extend({&first});
        return std::move(cycles_);
    }

  private:
    using Chain = std::vector<const Nesting*>;

    void extend(const Chain& chain) {
        for (const Nesting& next : nestings_) {
            if (cycles_.size() >= most_ || left_ == 0) return;
            left_ -= 1;
            if (!fits(chain, next)) continue;
            Chain longer = chain;
            longer.push_back(&next);
            if (next.wanted == chain.front()->held) {
                add(longer);
            } else {
                extend(longer);
            }
        }
    }

    static bool fits(const Chain& chain, const Nesting& next) {
        if (next.held != chain.back()->wanted || !(chain.front()->thread < next.thread)) return false;
        return std::none_of(chain.begin(), chain.end(), [&](const Nesting* link) {
            return link->thread == next.thread || have_common(link->all_held, next.all_held);
        });
    }

    void add(const Chain& chain) {
        std::vector<ChainLink> cycle;
        for (const Nesting* link : chain) cycle.push_back({link->thread, link->wanted, link->at});
        cycles_.push_back(std::move(cycle));
    }

    const std::vector<Nesting>& nestings_;
    std::size_t most_;
    /// Links still to be looked at: there can be very many cycles, and very many ways that lead to none.
    std::size_t left_ = 1'000'000;
    std::vector<std::vector<ChainLink>> cycles_;
};

}  // namespace

std::vector<std::vector<ChainLink>> lock_order_cycles(const std::vector<StepRecord>& steps,
                                                      std::size_t most) {
    return CycleSearch(nestings_in(steps), most).run();
}

}  // namespace coopcheck
