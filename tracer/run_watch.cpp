// Pages that are closed while the program runs, so that accesses to them stop it (section 7 of the design).
#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "core/error.hpp"
#include "tracer/must.hpp"
#include "tracer/run.hpp"

namespace coopcheck::tracer {

namespace {

bool changes_maps(long system_call) {
    switch (system_call) {
        case SYS_mmap:
        case SYS_munmap:
        case SYS_mremap:
        case SYS_brk:
        case SYS_mprotect:
        case SYS_pkey_mprotect:
        case SYS_shmat:
        case SYS_shmdt:
            return true;
        default:
            return false;
    }
}

/// A run whose accesses fault more often is watched no further: that takes seconds.
constexpr std::size_t most_faults = 200'000;
/// In a step that faults more often a thread waits in a loop, or works for long: seen better from a distance.
constexpr std::size_t most_faults_in_step = 10'000;

/// The kernel does something else with them than to return to the instruction behind.
bool is_peculiar(long system_call) {
    switch (system_call) {
        case SYS_rt_sigreturn:
        case SYS_fork:
        case SYS_vfork:
        case SYS_clone:
        case SYS_clone3:
        case SYS_execve:
        case SYS_execveat:
        case SYS_exit:
        case SYS_exit_group:
            return true;
        default:
            return false;
    }
}

}  // namespace

void Run::protect(const WatchedRegion& pages, bool close) {
    protect(pages, close ? PROT_NONE : PROT_READ | PROT_WRITE);
}

void Run::protect(const WatchedRegion& pages, int protection) {
    session_->watch.cost += 1;
    const std::int64_t result =
        call_in_target(SYS_mprotect, pages.start, pages.end - pages.start, protection);
    if (result == 0) return;
    throw Error("The protection of the program's memory cannot be changed (" +
                std::make_error_code(static_cast<std::errc>(-result)).message() +
                "); it may have reached the limit on mappings. Use --races off.");
}

void Run::open_all() {
    for (WatchedRegion& region : state_.watched.regions()) {
        if (region.closed) protect(region, false);
        region.closed = false;
    }
    state_.watched.clear_opened();
}

void Run::close_for(ThreadId running) {
    for (const WatchedRegion& open : state_.watched.opened()) protect(open, true);
    state_.watched.clear_opened();
    for (WatchedRegion& region : state_.watched.regions()) {
        const bool wanted = !region.owner.valid() || region.owner != running;
        if (region.closed != wanted) protect(region, wanted);
        region.closed = wanted;
    }
    for (const auto& [page, written] : touched_pages_) {
        if (state_.watched.is_closed(page)) open_touched(page, written);
    }
}

void Run::find_watched() {
    std::vector<const VirtualThread*> threads;
    for (const VirtualThread& thread : state_.threads) threads.push_back(&thread);
    state_.watched.find_regions(memory_maps(process_.id()), state_.loaded->modules, threads, *state_.plan);
}

void Run::refresh_watched() {
    if (!state_.watching) return;
    open_all();
    find_watched();
    close_for(state_.threads[state_.current].id);
}

void Run::begin_watching() {
    if (!state_.plan || ended()) return;
    widen_points();
    if (!state_.plan->closes_pages()) {
        state_.at_access_points = true;
        state_.alone = is_alone(OpKind::ThreadStart);
        install_access_points();
        return;
    }
    const auto& modules = state_.loaded->modules.all();
    const bool is_sanitized = std::any_of(modules.begin(), modules.end(), [](const Module& module) {
        return module.file->function("__asan_init") || module.file->function("__tsan_init") ||
               module.file->function("__msan_init");
    });
    if (is_sanitized)
        throw Error(
            "The accesses of a program that is built with a sanitizer cannot be watched; use --races off.");
    state_.watching = true;
    memory_.reach_closed_pages();
    install_binding_points();
    if (state_.plan->first_touch) {
        state_.at_access_points = true;
        install_access_points();
    }
    state_.alone = is_alone(OpKind::ThreadStart);
    if (state_.alone) {
        state_.watching = false;
        return;
    }
    find_watched();
    close_for(state_.threads[state_.current].id);
}

void Run::end_watching() {
    state_.alone = false;
    if (!state_.watching) return;
    open_all();
    state_.watching = false;
}

bool Run::is_alone(OpKind next) const {
    if (next == OpKind::ThreadCreate || state_.parked.size() > 1 || state_.plan->unshared_too) return false;
    return std::all_of(state_.threads.begin(), state_.threads.end(), [&](const VirtualThread& thread) {
        return thread.live || state_.model.thread(thread.id).life == ThreadState::Life::Joined;
    });
}

void Run::watch_or_leave_alone(OpKind next) {
    const bool has_begun = state_.watching || state_.alone || state_.at_access_points;
    if (!has_begun || ended() || is_alone(next) == state_.alone) return;
    state_.alone = !state_.alone;
    if (!state_.plan->closes_pages()) return;
    if (state_.alone) {
        open_all();
        state_.watching = false;
    } else {
        state_.watching = true;
        find_watched();
        close_for(state_.threads[state_.current].id);
    }
}

bool Run::open_pages(std::uint64_t start, std::uint64_t end) {
    const std::vector<WatchedRegion> parts = state_.watched.closed_parts(start, end);
    for (const WatchedRegion& part : parts) {
        protect(part, false);
        state_.watched.add_opened(part);
    }
    bool any = !parts.empty();
    for (std::uint64_t page = page_of(start); page < end && !touched_pages_.empty(); page += memory_page)
        any = open_for_writing(page) || any;
    return any;
}

void Run::close_or_give(ThreadId running) {
    const WatchPlan& plan = *state_.plan;
    std::vector<WatchedRegion> opened = state_.watched.opened();
    state_.watched.clear_opened();
    for (const WatchedRegion& pages : opened) {
        for (std::uint64_t page = pages.start; page < pages.end; page += memory_page) {
            const WatchedRegion* region = state_.watched.find(page);
            const bool is_nobodys = region != nullptr && !region->owner.valid();
            if (plan.everything && !plan.unshared_too && is_nobodys && !plan.must_stay_closed(page)) {
                state_.watched.give(page, running);
            } else {
                protect({page, page + memory_page, ThreadId{}, false}, true);
            }
        }
    }
}

void Run::give_up_watching() {
    session_->watch.gave_up = true;
    open_all();
    auto plan = std::make_shared<WatchPlan>(*state_.plan);
    plan->everything = false;
    state_.plan = std::move(plan);
    find_watched();
    close_for(state_.threads[state_.current].id);
}

void Run::leave_step_unwatched() {
    session_->watch.left_step = true;
    open_all();
    state_.watching = false;
    step_is_unwatched_ = true;
    state_.at_access_points = true;
    install_access_points();
}

void Run::return_to_watching() {
    close_touched();
    faults_in_step_ = 0;
    if (!std::exchange(step_is_unwatched_, false) || ended()) return;
    remove_access_points();
    state_.at_access_points = false;
    state_.watching = true;
    find_watched();
    close_for(state_.threads[state_.current].id);
}

void Run::see_obscure(const user_regs_struct& registers, std::uint64_t address) {
    // The dynamic linker saves vector registers on the stack (xsave) while it looks a function up: in its own
    // frame, where nobody else has any business.
    constexpr std::uint64_t largest_frame = 16'384;
    const bool in_own_frame = address >= registers.rsp && address - registers.rsp < largest_frame;
    if (in_own_frame && state_.loaded->modules.is_runtime_code(RemoteAddress{registers.rip})) return;
    session_->watch.obscure.insert(registers.rip);
}

WaitStatus Run::run_instruction(VirtualThread& thread, const Instruction& instruction) {
    const RemoteAddress next{thread.registers.rip + instruction.length()};
    constexpr std::byte int3{0xcc};
    // A single step makes one turn of a repeated instruction; a breakpoint behind it stops when all are made.
    const bool needs_breakpoint = instruction.repeats() && state_.loaded->breakpoints.find(next) == nullptr;
    std::byte original{};
    if (needs_breakpoint) {
        must(memory_.read(next, std::span(&original, 1)));
        must(memory_.write_code(next, std::span(&int3, 1)));
    }
    WaitStatus status;
    for (;;) {
        must(ptrace::set_registers(process_.id(), thread.registers));
        must(instruction.repeats() ? ptrace::cont(process_.id()) : ptrace::single_step(process_.id()));
        status = wait();
        if (is_end(status)) return status;
        const auto registers = ptrace::get_registers(process_.id());
        must(registers.error());
        thread.registers = registers.value();
        if (status != WaitStatus(Stopped{SIGSEGV})) break;
        // It touches more than was known.
        const auto info = ptrace::get_signal_info(process_.id());
        must(info.error());
        const auto address = reinterpret_cast<std::uint64_t>(info.value().si_addr);
        if (!state_.watched.is_closed(address) || !open_pages(address, address + 1)) break;
        see_obscure(thread.registers, address);
    }
    if (needs_breakpoint) must(memory_.write_code(next, std::span(&original, 1)));
    if (instruction.repeats() && status == WaitStatus(Stopped{SIGTRAP}) &&
        thread.registers.rip == number(next) + 1) {
        thread.registers.rip = number(next);
    }
    return status;
}

Run::Next Run::let_through(VirtualThread& thread, const Instruction& instruction, std::uint64_t fault,
                           int& deliver) {
    const user_regs_struct before = thread.registers;
    for (const MemoryTouch& touch : instruction.touches(before)) {
        open_pages(number(touch.address), number(touch.address) + touch.size);
    }
    if (open_pages(fault, fault + 1)) see_obscure(before, fault);
    std::vector<Access> accesses = begin_accesses(thread, instruction, fault);
    const WaitStatus status = run_instruction(thread, instruction);
    if (is_end(status)) return on_stop(thread, status, deliver);
    const bool done = status == WaitStatus(Stopped{SIGTRAP});
    const bool accesses_told = !accesses.empty();
    if (done) end_accesses(thread, instruction, before, std::move(accesses));
    if (done && thread.works_for_itself()) return Next::ResumeChanged;
    const auto info = ptrace::get_signal_info(process_.id());
    must(info.error());
    close_or_give(thread.id);
    watch_cost_ += 1;
    // The fault, the instruction, and what is asked about both.
    session_->watch.cost += accesses_told ? 8 : 3;
    faults_in_step_ += 1;
    if (watch_cost_ > most_faults && state_.plan->everything) give_up_watching();
    if (faults_in_step_ > most_faults_in_step && state_.plan->everything && state_.plan->by_points)
        leave_step_unwatched();
    if (done && faults_in_step_ > most_faults_in_step && !state_.plan->by_points && session_->watch.is_used) {
        // It may wait for something beside visible memory.
        faults_in_step_ = 0;
        open_all();
        must(ptrace::set_registers(process_.id(), thread.registers));
        const PollExamination looks = find_polled_memory(process_, memory_, [&](RemoteAddress place) {
            if (state_.loaded->breakpoints.find(place) != nullptr) return true;
            const auto registers = ptrace::get_registers(process_.id());
            const auto next = session_->instructions.at(place, memory_);
            if (!registers || !next) return true;
            const std::vector<MemoryTouch> touches = next->touches(registers.value());
            return std::any_of(touches.begin(), touches.end(), [&](const MemoryTouch& touch) {
                return state_.plan->is_visible(touch.address, touch.size);
            });
        });
        if (see_polled(thread, looks.polled)) throw Refined();
        if (looks.other_stop && is_end(*looks.other_stop)) return on_stop(thread, *looks.other_stop, deliver);
        const auto registers = ptrace::get_registers(process_.id());
        const auto signal = ptrace::get_signal_info(process_.id());
        must(registers.error());
        must(signal.error());
        thread.registers = registers.value();
        close_for(thread.id);
        if (!looks.other_stop) return Next::ResumeChanged;
        must(ptrace::set_registers(process_.id(), thread.registers));
        must(ptrace::set_signal_info(process_.id(), signal.value()));
        return on_stop(thread, *looks.other_stop, deliver);
    }
    if (done) return Next::ResumeChanged;
    // Something else has happened to the instruction: it is dealt with as if nobody had watched.
    must(ptrace::set_registers(process_.id(), thread.registers));
    must(ptrace::set_signal_info(process_.id(), info.value()));
    return on_stop(thread, status, deliver);
}

std::optional<Run::Next> Run::on_fault(VirtualThread& thread, int& deliver) {
    const auto info = ptrace::get_signal_info(process_.id());
    must(info.error());
    if (info.value().si_code != SEGV_ACCERR) return std::nullopt;
    const auto address = reinterpret_cast<std::uint64_t>(info.value().si_addr);
    const auto touched = touched_pages_.find(page_of(address));
    const bool is_open_for_reading =
        touched != touched_pages_.end() && !touched->second && state_.watched.find(address) != nullptr;
    if (!state_.watched.is_closed(address) && !is_open_for_reading) return std::nullopt;
    const auto instruction = session_->instructions.at(RemoteAddress{thread.registers.rip}, memory_);
    if (!instruction) {
        throw Error("An instruction at " + function_at(RemoteAddress{thread.registers.rip}) +
                    " that accesses watched memory is not understood; use --races off.");
    }
    if (state_.plan->first_touch) return on_first_touch(thread, *instruction, address);
    if (auto operation = visible_access(thread, *instruction)) {
        if (state_.plan->is_point(thread.registers.rip))
            return park(thread, *operation, {.at = Parking::At::Access});
        miss_point(thread, *instruction);
    }
    return let_through(thread, *instruction, address, deliver);
}

Run::Next Run::leave_access(VirtualThread& thread) {
    if (!state_.watching || state_.plan->first_touch) return leave_access_point(thread);
    activate(thread);
    const auto instruction = session_->instructions.at(RemoteAddress{thread.registers.rip}, memory_);
    int deliver = 0;
    const Next next = let_through(thread, *instruction, thread.registers.rip, deliver);
    // A signal for the program that came with it comes again when it runs.
    if (deliver != 0) keep_signal(thread, deliver);
    return next;
}

WaitStatus Run::step_one(VirtualThread& thread) {
    for (;;) {
        must(ptrace::set_registers(process_.id(), thread.registers));
        must(ptrace::single_step(process_.id()));
        const WaitStatus status = process_.wait();
        if (!state_.watching || status != WaitStatus(Stopped{SIGSEGV})) {
            if (state_.watching && !is_end(status) && !state_.watched.opened().empty()) {
                const auto registers = ptrace::get_registers(process_.id());
                must(registers.error());
                thread.registers = registers.value();
                close_for(thread.id);
                must(ptrace::set_registers(process_.id(), thread.registers));
            }
            return status;
        }
        const auto info = ptrace::get_signal_info(process_.id());
        must(info.error());
        const auto address = reinterpret_cast<std::uint64_t>(info.value().si_addr);
        if (!open_pages(address, address + 1)) return status;
    }
}

WaitStatus Run::deliver_signal(VirtualThread& thread, int signal) {
    // The kernel puts the handler's frame on the stack, or on another one, and gives up if it cannot.
    const auto info = ptrace::get_signal_info(process_.id());
    must(info.error());
    open_all();
    must(ptrace::set_registers(process_.id(), thread.registers));
    must(ptrace::set_signal_info(process_.id(), info.value()));
    must(ptrace::single_step(process_.id(), signal));
    const WaitStatus status = wait();
    if (is_end(status)) return status;
    const auto registers = ptrace::get_registers(process_.id());
    must(registers.error());
    thread.registers = registers.value();
    if (status != WaitStatus(Stopped{SIGTRAP})) return status;
    // What the handler does is the program's business, wherever it came in between.
    thread.binding = false;
    thread.creating = false;
    close_for(thread.id);
    must(ptrace::set_registers(process_.id(), thread.registers));
    return status;
}

Run::Next Run::through_kernel(VirtualThread& thread, Next next) {
    if (!state_.watching || (next != Next::Resume && next != Next::ResumeChanged)) return next;
    user_regs_struct& registers = thread.registers;
    const auto call = static_cast<long>(registers.orig_rax);
    if (call < 0) return next;  // answered
    if (is_peculiar(call)) {
        if (watch_paused_)
            return call == SYS_rt_sigreturn ? resume_watching(thread) : next;  // the second time
        open_all();
        watch_paused_ = true;
        repeat_system_call(thread);
        thread.passes_filter = true;
        return Next::ResumeChanged;
    }
    // The kernel must not meet a closed page. What it is asked to do it does for us, from the scratch page,
    // where the filter lets it pass.
    open_all();
    session_->watch.cost += 1;
    const std::int64_t result = call_in_target(
        {call, registers.rdi, registers.rsi, registers.rdx, registers.r10, registers.r8, registers.r9});
    if (changes_maps(call)) find_watched();
    close_for(thread.id);
    note_system_call(thread, call, result);
    // A signal that the call has let in comes now.
    if (!thread.pending_signals.empty()) hand_over_signals(thread, mask_of(thread));
    return answer(thread, result);
}

Run::Next Run::resume_watching(VirtualThread& thread) {
    if (!std::exchange(watch_paused_, false)) return Next::Resume;
    // To the end of the system call that it stands in.
    must(ptrace::single_step(process_.id()));
    const WaitStatus status = wait();
    if (status != WaitStatus(Stopped{SIGTRAP}))
        throw Error(
            "A signal came while the program made a system call that cannot be watched; run it again.");
    const auto registers = ptrace::get_registers(process_.id());
    must(registers.error());
    thread.registers = registers.value();
    find_watched();
    close_for(thread.id);
    return Next::ResumeChanged;
}

}  // namespace coopcheck::tracer
