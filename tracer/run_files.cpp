// Files that let a thread wait: pipes, eventfds, sockets, and poll, select and epoll on them.
//
// The kernel does these calls; we only see to it that it never has to wait: a thread that would is parked
// until poll() of its descriptors, asked by us, says that it would not. What is inside a pipe is shared by
// all copies of a process, so from the first such file on a run is replayed instead of copied.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>

#include <algorithm>

#include "core/error.hpp"
#include "tracer/file_calls.hpp"
#include "tracer/run.hpp"
#include "tracer/scratch.hpp"
#include "tracer/system_calls.hpp"
#include "tracer/target_files.hpp"

namespace coopcheck::tracer {

namespace {

bool can_come_from_outside(const BorrowedFile& file) {
    return file.kind() == FileKind::Outside || file.kind() == FileKind::Epoll;
}

}  // namespace

Run::Next Run::on_file_call(VirtualThread& thread) {
    if (!state_.has_channels) return Next::Resume;
    const auto file = BorrowedFile::borrow(process_.id(), static_cast<int>(thread.registers.rdi));
    if (!file || file.value()->kind() == FileKind::Plain) return Next::Resume;
    if (file.value()->kind() == FileKind::Random) {
        if (thread.registers.orig_rax != SYS_read) return Next::Resume;
        return give_random(thread, RemoteAddress{thread.registers.rsi}, thread.registers.rdx);
    }
    auto call = decode_file_call(thread.registers, memory_);
    if (!call) return Next::Resume;
    call->never_waits = call->never_waits || file.value()->never_waits();
    return park_at_file_call(thread, *call,
                             file.value()->description() + " " + std::to_string(thread.registers.rdi));
}

Run::Next Run::on_poll(VirtualThread& thread) {
    const auto call = decode_file_call(thread.registers, memory_);
    if (!call) return answer(thread, -EFAULT);
    if (call->files.empty() && call->limit && !call->never_waits) {
        return park_at_system_call(thread, {.kind = OpKind::Sleep}, state_.clock.from_relative(*call->limit));
    }
    if (!state_.has_channels && !call->files.empty()) return Next::Resume;  // plain files are always ready
    return park_at_file_call(thread, *call, "");
}

Run::Next Run::park_at_file_call(VirtualThread& thread, const FileCall& call, const std::string& file) {
    Operation operation{.kind = OpKind::SystemCall, .location = Location::kernel()};
    std::string name = system_call_name(static_cast<long>(thread.registers.orig_rax));
    if (!file.empty()) name += " of " + file;
    operation.object = session_->names.objects.intern(name);
    operation.timed = call.limit.has_value();
    operation.value = call.never_waits || are_ready(process_.id(), call.files) ? 1 : 0;
    const Parking parking{.at = Parking::At::NativeSystemCall,
                          .deadline = call.limit ? state_.clock.from_relative(*call.limit) : 0,
                          .never_waits = call.never_waits};
    return park_at_system_call(thread, operation, parking);
}

void Run::make_system_call(VirtualThread& thread) {
    user_regs_struct& registers = thread.registers;
    // It is ready, or its time is up: either way it is not to wait, however long its own limit is.
    static_cast<void>(memory_.write_value(scratch::data, timespec{}));
    make_immediate(registers, scratch::data);
    repeat_system_call(thread);
    thread.passes_filter = true;
}

void Run::repeat_system_call(VirtualThread& thread) {
    user_regs_struct& registers = thread.registers;
    constexpr std::uint64_t size_of_syscall_instruction = 2;
    registers.rip -= size_of_syscall_instruction;
    registers.rax = registers.orig_rax;
    registers.orig_rax = ~0ULL;
}

void Run::refresh_parked_calls() {
    for (ParkedThread& parked : state_.parked) {
        if (parked.operation.kind != OpKind::SystemCall) continue;
        const VirtualThread& thread = thread_of(parked.thread);
        if (thread.parking.at == Parking::At::SystemCall) {
            parked.operation.value = (thread.parking.awaited_signals & signals_for(thread)) != 0 ? 1 : 0;
        }
        if (thread.parking.at != Parking::At::NativeSystemCall || thread.parking.never_waits) continue;
        const auto call = decode_file_call(thread.registers, memory_);
        parked.operation.value = !call || are_ready(process_.id(), call->files) ? 1 : 0;
    }
}

bool Run::somebody_can_run() const {
    return std::any_of(state_.parked.begin(), state_.parked.end(), [&](const ParkedThread& parked) {
        return state_.model.enabled(parked.thread, parked.operation) ||
               state_.model.can_time_out(parked.thread, parked.operation);
    });
}

void Run::wait_for_outside() {
    std::vector<pollfd> files;
    std::string calls;
    for (const ParkedThread& parked : state_.parked) {
        if (parked.operation.kind != OpKind::SystemCall) continue;
        const VirtualThread& thread = thread_of(parked.thread);
        if (thread.parking.at != Parking::At::NativeSystemCall) continue;
        const auto call = decode_file_call(thread.registers, memory_);
        if (!call) continue;
        for (const pollfd& wanted : call->files) {
            const auto file = BorrowedFile::borrow(process_.id(), wanted.fd);
            if (!file || !can_come_from_outside(*file.value())) continue;
            files.push_back(wanted);
            calls = system_call_name(static_cast<long>(thread.registers.orig_rax)) + " (" +
                    file.value()->description() + " " + std::to_string(wanted.fd) + ")";
        }
    }
    if (files.empty()) return;
    const auto limit = session_->watchdog.limit();
    if (!are_ready(process_.id(), files, static_cast<int>(limit.count()))) {
        throw Error("The program blocks in the system call " + calls + " for more than " +
                    std::to_string(limit.count()) +
                    " ms; coopcheck does not model waiting for the outside world.");
    }
    refresh_parked_calls();
}

Run::Next Run::on_channel_made(VirtualThread& /*thread*/) {
    state_.has_channels = true;
    state_.cannot_be_copied = true;
    return Next::Resume;
}

Run::Next Run::on_close(VirtualThread& thread) {
    const auto file = static_cast<int>(thread.registers.rdi);
    if (stream_of(thread.registers.rdi)) {
        set_stream(file, std::nullopt);
        return Next::Resume;
    }
    return on_file_call(thread);
}

Run::Next Run::on_close_range(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    constexpr std::uint64_t close_on_exec = 4;  // CLOSE_RANGE_CLOEXEC
    if ((registers.rdx & close_on_exec) != 0) return Next::Resume;
    std::erase_if(state_.streams, [&](const auto& stream) {
        const auto file = static_cast<std::uint64_t>(stream.first);
        return file >= registers.rdi && file <= registers.rsi;
    });
    return Next::Resume;
}

Run::Next Run::on_duplicate(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    const auto stream = stream_of(registers.rdi);
    if (registers.orig_rax == SYS_dup2 || registers.orig_rax == SYS_dup3) {
        if (registers.rdi != registers.rsi) set_stream(static_cast<int>(registers.rsi), stream);
        return Next::Resume;
    }
    if (!stream) return Next::Resume;
    // Its number is known only when it has been made.
    const std::int64_t made =
        call_in_target(static_cast<long>(registers.orig_rax), registers.rdi, registers.rsi, registers.rdx);
    if (made >= 0) set_stream(static_cast<int>(made), stream);
    return answer(thread, made);
}

Run::Next Run::on_file_control(VirtualThread& thread) {
    const auto command = static_cast<int>(thread.registers.rsi);
    switch (command) {
        case F_DUPFD:
        case F_DUPFD_CLOEXEC:
            return on_duplicate(thread);
        case F_OFD_SETLKW:
            if (state_.threads.size() > 1) refuse(thread, "fcntl with F_OFD_SETLKW");
            [[fallthrough]];
        case F_OFD_SETLK:
            state_.cannot_be_copied = true;  // copies would hold the lock too
            return Next::Resume;
        case F_SETSIG:
        case F_SETLEASE:
        case F_NOTIFY:
            refuse(thread, "fcntl with a command that asks for signals");
        default:
            // Locks of the process (F_SETLKW) never make its own threads wait.
            return Next::Resume;
    }
}

Run::Next Run::on_file_lock(VirtualThread& thread) {
    const bool waits = (thread.registers.rsi & LOCK_NB) == 0 && (thread.registers.rsi & LOCK_UN) == 0;
    if (waits && state_.threads.size() > 1) refuse(thread, "flock");
    state_.cannot_be_copied = true;  // copies share the open file, and with it the lock
    return Next::Resume;
}

}  // namespace coopcheck::tracer
