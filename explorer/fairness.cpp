#include "explorer/fairness.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>

#include "core/switch.hpp"

namespace coopcheck {

std::optional<Spin> spin_of(const StepResult& step) {
    const Operation& operation = step.operation;
    const bool offers = offers_to_yield(operation.kind);
    const bool gave_up = step.variant.kind == Variant::Kind::Timeout;
    bool failed = false;
    switch (operation.kind) {
        case OpKind::MutexTryLock:
        case OpKind::RwTryReadLock:
        case OpKind::RwTryWriteLock:
        case OpKind::SpinTryLock:
        case OpKind::ThreadTryJoin:
            failed = step.outcome.result == EBUSY;
            break;
        case OpKind::SemTryWait:
            failed = step.outcome.result == EAGAIN;
            break;
        case OpKind::Read:
        case OpKind::Write:
        case OpKind::ReadWrite:
            failed = operation.value == 1;
            break;
        default:
            break;
    }
    if (!offers && !gave_up && !failed) {
        return std::nullopt;
    }
    return Spin{operation.kind, operation.object, operation.site};
}

void Fairness::look_for_cycle(Window& window, unsigned times, Execution& execution) {
    constexpr unsigned suspicious = 16;
    constexpr unsigned compared = 8;
    if (times < suspicious) {
        return;
    }
    if (std::has_single_bit(times)) {
        window.mark = execution.fingerprint();
        window.marked_at = times;
    } else if (window.mark && times - window.marked_at <= compared) {
        is_livelock_ = execution.fingerprint() == window.mark;
    }
}

void Fairness::ran(ThreadId thread, const std::optional<Spin>& spin, Execution& execution,
                   const Options& options) {
    if (windows_.empty() && !spin) {
        return;
    }
    std::set<ThreadId> enabled;
    for (const ParkedThread& parked : execution.parked()) {
        if (execution.model().enabled(parked.thread, parked.operation) ||
            execution.model().can_time_out(parked.thread, parked.operation)) {
            enabled.insert(parked.thread);
        }
    }
    for (auto& [other, window] : windows_) {
        window.scheduled.insert(thread);
        window.waits_for.erase(thread);
        if (other == thread) {
            for (const ThreadId before : enabled_before_) {
                if (!enabled.contains(before) && before != thread) {
                    window.disabled_by_it.insert(before);
                }
            }
        }
        std::erase_if(window.always_enabled, [&](ThreadId before) { return !enabled.contains(before); });
    }
    if (spin) {
        const bool is_first = !windows_.contains(thread);
        Window& window = windows_[thread];
        window.last = *spin;
        unsigned& times = window.spun[*spin];
        times += 1;
        if (times > options.patience && !is_first) {
            std::set<ThreadId> wait = window.always_enabled;
            wait.insert(window.disabled_by_it.begin(), window.disabled_by_it.end());
            for (const ThreadId other : window.scheduled) {
                wait.erase(other);
            }
            window.waits_for.insert(wait.begin(), wait.end());
        }
        look_for_cycle(window, times, execution);
        window.always_enabled = enabled;
        window.always_enabled.erase(thread);
        window.disabled_by_it.clear();
        window.scheduled.clear();
    }
    enabled_before_ = std::move(enabled);
}

bool Fairness::holds_back(ThreadId thread, const CanRun& can_run) const {
    const auto window = windows_.find(thread);
    return window != windows_.end() &&
           std::any_of(window->second.waits_for.begin(), window->second.waits_for.end(), can_run);
}

std::size_t Fairness::spins(ThreadId thread) const {
    const auto window = windows_.find(thread);
    return window == windows_.end() ? 0 : window->second.spun.at(window->second.last);
}

std::vector<ThreadId> Fairness::spinners(const Options& options) const {
    std::vector<ThreadId> all;
    for (const auto& [thread, window] : windows_) {
        if (std::any_of(window.spun.begin(), window.spun.end(),
                        [&](const auto& place) { return place.second > options.patience; })) {
            all.push_back(thread);
        }
    }
    return all;
}

}  // namespace coopcheck
