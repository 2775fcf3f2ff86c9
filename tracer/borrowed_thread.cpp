#include "tracer/borrowed_thread.hpp"

#include <csignal>

#include "core/error.hpp"
#include "tracer/ptrace.hpp"
#include "tracer/scratch.hpp"
#include "tracer/wait.hpp"

namespace coopcheck::tracer {

namespace {

void must(std::error_code error) {
    if (error)
        throw Error("The program was killed from outside while its threads were made real (" +
                    error.message() + ").");
}

}  // namespace

std::int64_t BorrowedThread::call(long system_call, const Arguments& arguments) {
    user_regs_struct call = registers_;
    call.rip = number(scratch::system_call);
    call.rsp = number(scratch::stack);
    call.orig_rax = ~0ULL;
    call.rax = static_cast<std::uint64_t>(system_call);
    call.rdi = arguments[0];
    call.rsi = arguments[1];
    call.rdx = arguments[2];
    call.r10 = arguments[3];
    call.r8 = arguments[4];
    call.r9 = arguments[5];
    newborn_.reset();
    must(ptrace::set_registers(thread_, call));
    for (;;) {
        must(ptrace::cont(thread_));
        const WaitStatus status = wait_for(thread_);
        if (status == WaitStatus(Stopped{SIGTRAP})) break;
        if (status == WaitStatus(EventStop{ptrace::Event::Clone})) {
            const auto message = ptrace::get_event_message(thread_);
            must(message.error());
            newborn_ = ProcessId{static_cast<pid_t>(message.value())};
        } else if (is_end(status)) {
            throw Error("The program was killed from outside while its threads were made real.");
        }
    }
    const auto after = ptrace::get_registers(thread_);
    must(after.error());
    return static_cast<std::int64_t>(after.value().rax);
}

}  // namespace coopcheck::tracer
