#include "tracer/free_run.hpp"

#include <linux/sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "core/error.hpp"
#include "tracer/birth_certificate.hpp"
#include "tracer/process_table.hpp"

namespace coopcheck::tracer {

namespace {

constexpr std::uint64_t main_stack_limit = std::uint64_t{1} << 30;

}  // namespace

FreeRun::FreeRun(FreeSession& session, Launched launched, const ChildSignal& child_signal,
                 const DecideNoise& decide)
    : session_(session),
      process_(std::move(launched.process)),
      memory_(process_.id()),
      child_signal_(child_signal),
      decide_(decide),
      state_(ModelOptions{}),
      started_at_(Clock::now()),
      last_event_(started_at_) {
    VirtualThread main;
    main.id = main_thread;
    main.stack_high = launched.stack;
    main.stack_low = RemoteAddress{number(launched.stack) - main_stack_limit};
    state_.threads.push_back(std::move(main));
    tracees_[process_.id()].thread = 0;
    install_breakpoints(launched);
}

FreeRun::~FreeRun() {
    const ProcessId program = process_.id();
    if (!end_) ::kill(static_cast<pid_t>(program), SIGKILL);
    // Threads that are traced have to be reaped one by one before the process can be, those included of which
    // we have not heard yet.
    const auto reap_threads = [](ProcessId process) {
        for (const ProcessId thread : threads_of(process)) {
            if (thread != process) static_cast<void>(wait_for_end(thread));
        }
    };
    if (!end_) {
        reap_threads(program);
        process_.kill_and_reap();
    }
    std::vector<ProcessId> others = processes_in_group(program);
    for (const auto& [id, tracee] : tracees_) {
        if (!tracee.thread) others.push_back(id);
    }
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    for (const ProcessId other : others) {
        ::kill(static_cast<pid_t>(other), SIGKILL);
        reap_threads(other);
        static_cast<void>(wait_for_end(other));
    }
}

std::optional<WaitStatus> FreeRun::to_end(FreeOutcome& outcome) {
    go_on(process_.id());
    while (!end_) {
        const bool has_happened = look_at_all();
        release_due();
        if (end_ || must_stop(outcome)) break;
        if (!has_happened) child_signal_.wait(time_to_next_release());
    }
    outcome.operations = std::move(operations_);
    outcome.noises = noises_;
    outcome.refused_priorities = refused_priorities_;
    return end_;
}

bool FreeRun::look_at_all() {
    std::vector<ProcessId> all;
    all.reserve(tracees_.size());
    for (const auto& [id, tracee] : tracees_) all.push_back(id);
    bool has_happened = false;
    for (const ProcessId id : all) {
        const auto found = tracees_.find(id);
        if (found == tracees_.end()) continue;
        std::optional<WaitStatus> status = std::exchange(found->second.put_aside, std::nullopt);
        if (!status) status = id == process_.id() ? process_.look() : look_at(id);
        if (!status) continue;
        has_happened = true;
        on_status(id, *status);
        if (end_) return true;
    }
    if (has_happened) last_event_ = Clock::now();
    return has_happened;
}

void FreeRun::on_status(ProcessId id, const WaitStatus& status) {
    if (is_end(status)) {
        if (id == process_.id()) {
            end_ = status;
        } else if (tracees_[id].thread) {
            VirtualThread& thread = state_.threads[*tracees_[id].thread];
            thread.live = false;
            if (started_) operations_.push_back({thread.id, {.kind = OpKind::ThreadExit}});
        }
        tracees_.erase(id);
        return;
    }
    if (const auto* event = std::get_if<EventStop>(&status)) {
        on_event(id, event->event);
        return;
    }
    on_signal(id, std::get<Stopped>(status).signal);
}

void FreeRun::on_event(ProcessId id, ptrace::Event event) {
    switch (event) {
        case ptrace::Event::Fork:
        case ptrace::Event::Vfork:
            on_birth(id, false);
            break;
        case ptrace::Event::Clone:
            on_birth(id, true);
            break;
        case ptrace::Event::Exec:
            if (tracees_[id].thread) {
                throw Error(
                    "The program replaces itself by another one (exec), which coopcheck does not follow; "
                    "give the "
                    "other program to coopcheck.");
            }
            break;
        default:
            break;
    }
    go_on(id);
}

void FreeRun::on_birth(ProcessId parent, bool may_be_thread) {
    const auto message = ptrace::get_event_message(parent);
    const auto registers = ptrace::get_registers(parent);
    if (!message || !registers) return;  // killed meanwhile
    const ProcessId child{static_cast<pid_t>(message.value())};
    Tracee& tracee = tracees_[child];
    tracee.is_new = true;
    const auto parents_thread = tracees_[parent].thread;
    if (!parents_thread || !may_be_thread) return;
    const BirthCertificate birth = read_birth_certificate(registers.value(), memory_);
    if ((birth.flags & CLONE_THREAD) == 0) return;
    VirtualThread thread;
    VirtualThread& creator = state_.threads[*parents_thread];
    creator.children += 1;
    thread.id = session_.names.threads.child(creator.id, creator.children);
    thread.registers.fs_base = birth.thread_pointer;
    thread.stack_low = RemoteAddress{birth.stack_low};
    thread.stack_high = RemoteAddress{birth.stack_pointer};
    tracee.thread = state_.threads.size();
    state_.threads.push_back(std::move(thread));
}

void FreeRun::on_signal(ProcessId id, int signal) {
    Tracee& tracee = tracees_[id];
    if (signal == SIGSTOP && tracee.is_new) {
        tracee.is_new = false;
        if (tracee.thread) {
            arrive(id, {.kind = OpKind::ThreadStart});
        } else {
            go_on(id);
        }
        return;
    }
    if (signal == SIGSTOP && tracee.stops_to_come > 0) {
        tracee.stops_to_come -= 1;
        go_on(id);
        return;
    }
    const auto registers = ptrace::get_registers(id);
    if (!registers) return;  // killed meanwhile; its end will be reported
    if (signal == SIGTRAP) {
        const RemoteAddress function{registers.value().rip - 1};
        if (const Breakpoint* breakpoint = state_.loaded->breakpoints.find(function)) {
            on_call(id, registers.value(), function, *breakpoint);
            return;
        }
    }
    switch (signal) {
        case SIGSTOP:
        case SIGTSTP:
        case SIGTTIN:
        case SIGTTOU:
            go_on(id);  // a program that stops itself would never come back
            return;
        default:
            break;
    }
    if (tracee.thread && !tracee.has_failed && read_signals(id).is_fatal(signal)) {
        tracee.has_failed = true;
        operations_.push_back({state_.threads[*tracee.thread].id, {.kind = OpKind::Failure}});
    }
    go_on(id, signal);
}

void FreeRun::go_on(ProcessId id, int signal) {
    Tracee& tracee = tracees_[id];
    if (tracee.is_held) record(tracee);
    tracee.is_held = false;
    if (signal == 0) signal = std::exchange(tracee.deliver, 0);
    // Fails only for one that has been killed; its end will be reported.
    static_cast<void>(ptrace::cont(id, signal));
}

void FreeRun::record(const Tracee& tracee) {
    operations_.push_back({state_.threads[*tracee.thread].id, tracee.operation});
}

void FreeRun::release_due() {
    const Clock::time_point now = Clock::now();
    std::vector<std::pair<Clock::time_point, ProcessId>> due;
    for (const auto& [id, tracee] : tracees_) {
        if (!tracee.is_held) continue;
        // Its own operations do not count, and it makes none while it is held.
        const bool has_yielded = tracee.held_at_operation && operations_.size() > *tracee.held_at_operation;
        if (tracee.held_until <= now || has_yielded) due.emplace_back(tracee.held_until, id);
    }
    std::sort(due.begin(), due.end());
    for (const auto& [time, id] : due) go_on(id);
}

std::chrono::microseconds FreeRun::time_to_next_release() const {
    // A signal may get lost (ChildSignal::wait), hence the short limit.
    Clock::time_point next = Clock::now() + std::chrono::milliseconds(2);
    for (const auto& [id, tracee] : tracees_) {
        if (tracee.is_held) next = std::min(next, tracee.held_until);
    }
    return std::chrono::ceil<std::chrono::microseconds>(next - Clock::now());
}

bool FreeRun::must_stop(FreeOutcome& outcome) {
    const Clock::time_point now = Clock::now();
    if (session_.options.interruption && session_.options.interruption()) {
        outcome.stop = FreeOutcome::Stop::Interrupted;
        return true;
    }
    if (now - started_at_ >= session_.options.time_limit) {
        outcome.stop = FreeOutcome::Stop::TimeLimit;
        return true;
    }
    const auto is_held = [](const auto& entry) { return entry.second.is_held; };
    if (now - last_event_ < session_.options.quiet_limit ||
        std::any_of(tracees_.begin(), tracees_.end(), is_held)) {
        return false;
    }
    last_event_ = now;  // to be looked at again after as long a time
    bury_unknown();
    const auto waits = [](const auto& entry) {
        return entry.second.thread && waits_on_futex_for_ever(entry.first);
    };
    if (!std::all_of(tracees_.begin(), tracees_.end(), waits)) return false;
    outcome.stop = FreeOutcome::Stop::Stuck;
    // What they wait at was recorded when they were let go to it.
    return true;
}

void FreeRun::bury_unknown() {
    // The kernel reports the end of a process only when all its threads have been reaped.
    for (const ProcessId thread : threads_of(process_.id())) {
        if (!tracees_.contains(thread) && is_zombie(thread)) static_cast<void>(wait_for_end(thread));
    }
}

}  // namespace coopcheck::tracer
