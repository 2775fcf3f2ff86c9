#include "tracer/run.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include "core/check.hpp"
#include "core/error.hpp"
#include "tracer/last_words.hpp"
#include "tracer/must.hpp"
#include "tracer/scratch.hpp"
#include "tracer/time_stamp.hpp"

namespace coopcheck::tracer {

namespace {

/// What the program believes its process id to be.
constexpr int virtual_process_id = 10000;

/// What the kernel calls a thread of the program that has no name of its own.
std::string program_name(const std::string& path) {
    constexpr std::size_t longest = 15;
    return path.substr(path.rfind('/') + 1).substr(0, longest);
}

std::string signal_name(int signal) {
    const char* name = ::sigabbrev_np(signal);
    return name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(signal);
}

}  // namespace

Run::Run(Session& session, ChildProcess process, RunState state)
    : session_(&session), process_(std::move(process)), memory_(process_.id()), state_(std::move(state)) {
    if (state_.watching || (state_.alone && state_.plan->closes_pages())) memory_.reach_closed_pages();
}

Run::Run(Session& session, std::shared_ptr<const WatchPlan> plan)
    : session_(&session), process_(ProcessId{0}), memory_(ProcessId{0}), state_(session.model_options) {
    if (plan && !plan->is_empty()) state_.plan = std::move(plan);
    const bool closes_pages = state_.plan && state_.plan->closes_pages();
    Launched launched = session.launcher.launch(closes_pages ? StopAt::EverySystemCall : StopAt::Modelled);
    process_ = std::move(launched.process);
    memory_ = TargetMemory(process_.id());

    VirtualThread main;
    main.id = main_thread;
    main.kernel_id = virtual_process_id;
    main.name = program_name(session.launcher.program().path());
    main.stack_high = launched.stack;
    constexpr std::uint64_t main_stack_limit = std::uint64_t{1} << 30;
    main.stack_low = RemoteAddress{number(launched.stack) - main_stack_limit};
    const auto registers = ptrace::get_registers(process_.id());
    must(registers.error());
    main.registers = registers.value();
    main.registers.orig_rax = ~0ULL;
    state_.threads.push_back(std::move(main));

    auto loaded = std::make_shared<Loaded>();
    const ProgramFile& program = session.launcher.program();
    const auto program_symbols = session.files.open(program.path());
    loaded->modules.add({RemoteAddress{number(launched.program_headers) - program_symbols->program_headers()},
                         program_symbols});
    if (!program.interpreter().empty() && launched.loader != null_address) {
        const auto loader = session.files.open(program.interpreter());
        loaded->modules.add({launched.loader, loader});
        if (const auto list = loader->variable("_r_debug")) loaded->loader_list = launched.loader + *list;
    }
    loaded->breakpoints.install(memory_, loaded->modules);
    state_.loaded = std::move(loaded);
    // The libraries are looked at when they are mapped.
    state_.may_read_time_stamps = session.time_stamp_reads.may_be_in(program.path());
    refresh_loaded();
    run_to_start();
}

void Run::run_to_start() {
    advance(state_.threads.front());
    settle();
    // What libc, constructors and the dynamic linker do before main is nobody's choice: there is one thread.
    run_by_itself([this] {
        const OpKind next = state_.parked.front().operation.kind;
        return !state_.started && next != OpKind::ThreadCreate && next != OpKind::ProcessExit &&
               next != OpKind::Failure;
    });
    state_.started = true;
    if (state_.loaded->modules.all().front().file->has_region()) {
        run_by_itself([this] { return !state_.region_begun; });
    }
    if (!ended()) allow_time_stamps();
    begin_watching();
    accesses_.clear();
    if (ended()) {
        ended_early_ = std::exchange(state_.end, std::nullopt);
        parked_entry(main_thread).operation = {.kind = OpKind::ThreadStart};
    }
}

void Run::run_by_itself(const std::function<bool()>& wanted) {
    ThreadId last = main_thread;
    while (!ended() && wanted()) {
        std::optional<Choice> next;
        const auto consider = [&](const ParkedThread& parked) {
            const auto options = state_.model.options(parked.thread, parked.operation);
            if (!options.empty()) next = Choice{parked.thread, options.front()};
            return !options.empty();
        };
        const auto offers_to_yield = [](const ParkedThread& parked) {
            return parked.operation.kind == OpKind::Yield || parked.operation.kind == OpKind::Sleep;
        };
        // The thread that ran last, unless it waits or yields; then the next one in a circle.
        auto position =
            std::lower_bound(state_.parked.begin(), state_.parked.end(), last,
                             [](const ParkedThread& parked, ThreadId id) { return parked.thread < id; });
        if (position == state_.parked.end()) position = state_.parked.begin();
        if (position->thread != last || offers_to_yield(*position) || !consider(*position)) {
            const auto count = state_.parked.size();
            const auto start = static_cast<std::size_t>(position - state_.parked.begin());
            for (std::size_t nth = 1; nth <= count && !next; ++nth)
                consider(state_.parked[(start + nth) % count]);
        }
        for (const ParkedThread& parked : state_.parked) {
            if (!next && state_.model.can_time_out(parked.thread, parked.operation)) {
                next = Choice{parked.thread, Variant::timeout()};
            }
        }
        if (!next) return;  // a deadlock, for the search to report
        last = next->thread;
        make_step(next->thread, next->variant);
    }
}

StepResult Run::step(ThreadId id, Variant variant) {
    StepResult result = make_step(id, variant);
    if (state_.region_ended && !ended()) {
        run_by_itself([] { return true; });
        result.thread_ended = !thread_of(id).live;
        result.end = state_.end;
    }
    return result;
}

StepResult Run::make_step(ThreadId id, Variant variant) {
    COOPCHECK_CHECK(!ended(), "a step after the end of a run");
    VirtualThread& thread = thread_of(id);
    COOPCHECK_CHECK(thread.live, "a step of a thread that has ended");
    StepResult result;
    close_touched();  // on the way to main
    accesses_.clear();
    turns_.clear();
    result.operation = parked_entry(id).operation;
    result.variant = variant;
    if (ended_early_) {
        finish(*ended_early_);
        result.end = state_.end;
        return result;
    }
    Operation& operation = result.operation;
    if (operation.kind == OpKind::FutexWait) {
        const auto word = memory_.read_value<std::uint32_t>(RemoteAddress{thread.registers.rdi});
        operation.value = word && word.value() == static_cast<std::uint32_t>(thread.registers.rdx) ? 1 : 0;
    }
    if (operation.kind == OpKind::SemClose) close_semaphore(operation);
    if (variant.kind == Variant::Kind::Timeout || operation.kind == OpKind::Sleep) {
        if (const VirtualTime alarm = next_expiry(); alarm < thread.parking.deadline) {
            state_.clock.advance_to(alarm);
            fire_timers();
            if (thread.parking.at == Parking::At::Interrupted) {
                result.outcome.parked_at = parked_entry(id).operation;
                return result;
            }
        }
        state_.clock.advance_to(thread.parking.deadline);
    }
    if (operation.kind != OpKind::ThreadCreate) {
        result.outcome = state_.model.apply(id, operation, variant);
    }
    watch_or_leave_alone(operation.kind);
    if (result.outcome.misuse) {
        finish({.kind = RunEnd::Kind::Misused, .misuse = result.outcome.misuse});
    } else if (result.outcome.parked_at) {
        parked_entry(id).operation = *result.outcome.parked_at;
    } else {
        carry_out(thread, result);
    }
    settle();
    return_to_watching();
    result.accesses = std::exchange(accesses_, {});
    result.thread_ended = !thread.live;
    result.end = state_.end;
    return result;
}

void Run::settle() {
    if (ended()) return;
    let_time_pass();
    if (!somebody_can_run()) wait_for_outside();
}

void Run::carry_out(VirtualThread& thread, StepResult& result) {
    const Operation& operation = result.operation;
    switch (operation.kind) {
        case OpKind::ThreadExit:
            end_thread(thread);
            return;
        case OpKind::Failure:
            finish(*thread.failure);
            return;
        case OpKind::ProcessExit:
            if (std::string report = sanitizer_report(state_.output[1]); !report.empty()) {
                finish({.kind = RunEnd::Kind::Failed,
                        .failure = FindingKind::Crash,
                        .message = std::move(report)});
                return;
            }
            finish({.kind = RunEnd::Kind::ProcessExit, .code = static_cast<int>(operation.value)});
            return;
        default:
            break;
    }
    created_.reset();
    switch (thread.parking.at) {
        case Parking::At::Start:
            break;
        case Parking::At::Call:
            complete_call(thread, result.outcome);
            break;
        case Parking::At::SystemCall:
            complete_system_call(thread, operation, result.outcome);
            break;
        case Parking::At::SpinPoint:
            leave_spin_point(thread);
            break;
        case Parking::At::Interrupted:
            if (!start_handler(thread)) return;
            break;
        case Parking::At::Access: {
            running_ = thread.id;
            const Next next = leave_access(thread);
            running_ = ThreadId{};
            if (next == Next::Park || next == Next::End) return;
            break;
        }
        case Parking::At::NativeSystemCall:
            if (result.outcome.cancelled) {
                complete_system_call(thread, operation, result.outcome);
            } else {
                make_system_call(thread);
            }
            break;
    }
    advance(thread);
    if (operation.kind == OpKind::ThreadCreate) {
        if (!created_) end_creation_in_vain(thread);
        // The model hears of the thread only if the kernel would have made one.
        result.outcome = created_.value_or(Outcome{.result = EAGAIN});
    }
}

void Run::advance(VirtualThread& thread) {
    activate(thread);
    thread.looked_at = 0;
    running_ = thread.id;
    if (!thread.pending_signals.empty() || !state_.process_signals.empty())
        hand_over_signals(thread, mask_of(thread));
    int deliver = 0;
    const auto go_on = [&]() -> WaitStatus {
        if (deliver != 0 && state_.watching) {
            const WaitStatus status = deliver_signal(thread, std::exchange(deliver, 0));
            if (status != WaitStatus(Stopped{SIGTRAP})) return status;
        }
        must(ptrace::cont(process_.id(), std::exchange(deliver, 0)));
        return wait();
    };
    for (;;) {
        const WaitStatus status = go_on();
        switch (on_stop(thread, status, deliver)) {
            case Next::Resume:
                break;
            case Next::ResumeChanged:
                must(ptrace::set_registers(process_.id(), thread.registers));
                break;
            case Next::Park:
            case Next::End:
                running_ = ThreadId{};
                return;
        }
    }
}

Run::Next Run::on_stop(VirtualThread& thread, const WaitStatus& status, int& deliver) {
    if (const auto* exited = std::get_if<Exited>(&status)) {
        finish({.kind = RunEnd::Kind::ProcessExit, .code = exited->code});
        return Next::End;
    }
    if (const auto* killed = std::get_if<Signalled>(&status)) {
        finish({.kind = RunEnd::Kind::Failed,
                .failure = FindingKind::Crash,
                .message = "killed by " + signal_name(killed->signal)});
        return Next::End;
    }
    const auto registers = ptrace::get_registers(process_.id());
    must(registers.error());
    thread.registers = registers.value();
    if (const auto* event = std::get_if<EventStop>(&status)) {
        switch (event->event) {
            case ptrace::Event::Seccomp: {
                const auto call = static_cast<long>(thread.registers.orig_rax);
                const Next next = on_system_call(thread);
                const bool is_answered = static_cast<long>(thread.registers.orig_rax) < 0;
                // What we do in the kernel's place is done to the program's memory all the same.
                if (state_.watching && is_answered && next == Next::ResumeChanged)
                    note_system_call(thread, call, static_cast<std::int64_t>(thread.registers.rax));
                return through_kernel(thread, next);
            }
            case ptrace::Event::Fork:
            case ptrace::Event::Vfork:
            case ptrace::Event::Clone:
                return on_fork(event->event) == Next::Resume ? resume_watching(thread) : Next::Resume;
            case ptrace::Event::Exec:
                throw Error(
                    "The program replaces itself by another one (exec), which coopcheck does not follow; "
                    "give the "
                    "other program to coopcheck.");
            default:
                return Next::Resume;
        }
    }
    const int signal = std::get<Stopped>(status).signal;
    if (signal == SIGTRAP) {
        const RemoteAddress function{thread.registers.rip - 1};
        if (const Breakpoint* breakpoint = state_.loaded->breakpoints.find(function)) {
            const Next next = on_call(thread, function, *breakpoint);
            const std::optional<int> fault = std::exchange(step_fault_, std::nullopt);
            return fault ? on_signal(thread, *fault, deliver) : next;
        }
        if (function == scratch::return_trap) return on_allocator_return(thread);
    }
    return on_signal(thread, signal, deliver);
}

Run::Next Run::on_signal(VirtualThread& thread, int signal, int& deliver) {
    if (signal == SIGSEGV && state_.watching) {
        if (const auto next = on_fault(thread, deliver)) return *next;
    }
    if (signal == SIGSTOP && session_->watchdog.has_barked()) return on_silence(thread, deliver);
    if (signal == SIGSEGV && answer_time_stamp(thread.registers, memory_, state_.clock))
        return Next::ResumeChanged;
    switch (signal) {
        case SIGSTOP:
        case SIGTSTP:
        case SIGTTIN:
        case SIGTTOU:
            return Next::Resume;  // a target that stops itself would never come back
        default:
            break;
    }
    const bool is_fault = signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
    if (const auto original = state_.loaded->breakpoints.original_of(RemoteAddress{thread.registers.rip});
        is_fault && original) {
        // An instruction that fails does so at its own place, for handlers and reports.
        thread.registers.rip = number(*original);
        must(ptrace::set_registers(process_.id(), thread.registers));
    }
    if (const TargetSignals signals = read_signals(process_.id()); !signals.is_fatal(signal)) {
        restore_signal_info(thread, signal);
        if (contains(signals.caught, signal)) thread.last_signal = signal;
        deliver = signal;
        return Next::Resume;
    }
    std::string message = signal_name(signal);
    const RemoteAddress here{thread.registers.rip};
    if (signal == SIGABRT) {
        if (const std::string words = last_words(state_.output[1]); !words.empty()) message += ": " + words;
        return fail(thread, FindingKind::Crash, std::move(message), site_of_instruction(thread));
    }
    if (const Module* module = state_.loaded->modules.find(here)) {
        const SymbolFile::Symbol* symbol = module->file->function_at(here - module->base);
        message += symbol != nullptr ? " in " + symbol->name : " in " + module->name();
    }
    return fail(thread, FindingKind::Crash, std::move(message), site_of_instruction(thread));
}

WaitStatus Run::wait() {
    session_->watchdog.wait_begins(process_.id());
    const WaitStatus status = process_.wait();
    session_->watchdog.wait_ends();
    return status;
}

void Run::finish(RunEnd end) {
    state_.end = std::move(end);
    state_.parked.clear();
    process_.kill_and_reap();
}

Run::Next Run::fail(VirtualThread& thread, RunEnd end, std::uint64_t site) {
    thread.failure = std::make_shared<const RunEnd>(std::move(end));
    return park(thread, {.kind = OpKind::Failure, .site = site}, {.at = Parking::At::SystemCall});
}

Run::Next Run::fail(VirtualThread& thread, FindingKind kind, std::string message, std::uint64_t site) {
    return fail(thread, {.kind = RunEnd::Kind::Failed, .failure = kind, .message = std::move(message)}, site);
}

Run::Next Run::park(VirtualThread& thread, const Operation& operation, const Parking& parking) {
    if (parking.at != Parking::At::Access) thread.polling = {};
    thread.parking = parking;
    parked_entry(thread.id).operation = operation;
    return Next::Park;
}

}  // namespace coopcheck::tracer
