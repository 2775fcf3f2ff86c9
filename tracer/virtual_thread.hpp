#pragma once

#include <sys/user.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "core/ids.hpp"
#include "core/operation.hpp"
#include "tracer/breakpoints.hpp"
#include "tracer/target_signals.hpp"
#include "tracer/target_types.hpp"
#include "tracer/virtual_clock.hpp"

namespace coopcheck::tracer {

/// Where a parked thread stands, and what has to be known to complete its operation.
struct Parking {
    enum class At : std::uint8_t {
        Start,             ///< before its first instruction
        Call,              ///< at the breakpoint of a function
        SystemCall,        ///< before a system call, which will not be made
        Interrupted,       ///< anywhere, with a signal handler to run first
        SpinPoint,         ///< at the head of a loop that waits for memory to change
        NativeSystemCall,  ///< before a system call, which will be made when it does not have to wait
        Access,            ///< before an instruction that touches visible memory
    };
    At at = At::Start;
    /// At a call.
    const Hook* hook = nullptr;
    RemoteAddress function{};
    RemoteAddress return_address{};
    /// When a timed operation gives up, or a sleep is over.
    VirtualTime deadline = 0;
    /// At a system call that goes on whatever the state of its files is.
    bool never_waits = false;
    /// At sigwait: for which.
    SignalSet awaited_signals = 0;
    /// At sigsuspend: the mask while it waits, and the one to come back to.
    std::optional<SignalSet> suspended_mask;
    SignalSet mask_before = 0;
};

/// What a thread was about to do when a signal handler came first.
struct Interruption {
    user_regs_struct registers{};
    Parking parking;
    Operation operation;
    /// It could not go on.
    bool waits = false;
};

/// A function of the target whose own code runs as part of an operation. What it calls on its part is not
/// an operation again (pthread_create of a library that wraps that of libc).
struct NativeCall {
    const Hook* hook;
    RemoteAddress function;
    /// The stack pointer at its entry: it has returned when the stack is shorter than that. (It may also have
    /// returned, and somebody called from a deeper place since.)
    RemoteAddress stack;
    RemoteAddress return_address;

    /// Whether a call that starts with this stack pointer can have been made by this one: by a wrapper (of a
    /// sanitizer, of C11 threads) around another function that does the same. No function calls itself. A
    /// wrapper may also jump to the function of the same name in another library, which leaves the stack as
    /// it was.
    [[nodiscard]] bool may_enclose(RemoteAddress other, const Hook& other_hook,
                                   RemoteAddress other_stack) const {
        if (hook->kind != other_hook.kind || other == function) return false;
        return other_stack < stack || (other_stack == stack && other_hook.name == hook->name);
    }
};

/// malloc or one of its relatives, which a thread has called and not left.
struct AllocatorCall {
    const Hook* hook = nullptr;
    RemoteAddress return_address{};
    /// The registers of the call.
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    std::uint64_t site = 0;
};

/// A thread of the program. The target has one kernel thread; this is what makes it the one or the other
/// (section 6 A of the design). A plain value.
struct VirtualThread {
    ThreadId id;
    /// What the program believes to be its thread id in the kernel.
    int kernel_id = 0;
    /// As /proc shows it (PR_SET_NAME); empty until it is given one of its own.
    std::string name;
    bool live = true;

    /// Up to date while the thread is parked.
    user_regs_struct registers{};
    /// x87, SSE, AVX...; none while they are in the kernel thread. Shared by copies of the target, never
    /// changed.
    std::shared_ptr<const std::vector<std::byte>> extended_state;
    SignalSet signal_mask = 0;
    /// Where its signal handlers run if they ask for a stack of their own (sigaltstack).
    stack_t alternate_stack{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    Parking parking;

    /// The kernel would clear this word, and wake who waits on it, when the thread ends.
    RemoteAddress clear_on_exit{};
    RemoteAddress stack_low{};
    RemoteAddress stack_high{};

    unsigned children = 0;
    unsigned allocations = 0;
    std::optional<AllocatorCall> allocator_call;
    /// It has called a function for the first time, and the dynamic linker looks for it.
    bool binding = false;
    /// It is in pthread_create, on its way to the system call, and what that does to the program's memory has
    /// been told.
    bool creating = false;
    /// What it touches now is no business of the program; pages that it opens stay open until it is done.
    [[nodiscard]] bool works_for_itself() const {
        return allocator_call.has_value() || binding || (creating && is_in_pthread_create());
    }
    /// By instruction: what the thread and the memory were like the last times it came there to access
    /// visible memory. The same again means that it waits in a loop.
    std::map<std::uint64_t, std::vector<std::uint64_t>> looked;
    /// The last look at memory that is polled: by which instruction, what was there, how often in a row.
    struct Polling {
        std::uint64_t instruction = 0;
        std::uint64_t content = 0;
        unsigned times = 0;
    };
    Polling polling;
    /// Objects it initialized, by class.
    std::array<unsigned, 16> objects_made{};
    /// How much of its range of addresses is in use.
    std::uint64_t range_used = 0;
    std::uint64_t random_drawn = 0;
    /// Once objects whose routines it is in, the innermost last.
    std::vector<RemoteAddress> once_running;
    std::optional<NativeCall> native_call;
    /// In the code of pthread_create itself, on its way to the system call: part of one operation.
    [[nodiscard]] bool is_in_pthread_create() const {
        return native_call && native_call->hook->kind == OpKind::ThreadCreate &&
               RemoteAddress{registers.rsp} <= native_call->stack;
    }
    /// Parked at Failure: how the run ends when that is carried out.
    std::shared_ptr<const RunEnd> failure;
    /// How often it was looked at since its last operation because it did not come back, and the processor
    /// time of the process then.
    unsigned looked_at = 0;
    std::int64_t looked_at_ns = 0;
    /// The next system call it makes is to be done by the kernel, whatever it is.
    bool passes_filter = false;
    /// Sent to it, not yet given to the kernel: it did not run, or blocks them.
    std::vector<PendingSignal> pending_signals;
    /// Given to the kernel, not yet delivered.
    std::vector<PendingSignal> signals_handed_over;
    /// The last one delivered to a handler.
    int last_signal = 0;
    /// The innermost last.
    std::vector<Interruption> interruptions;
};

}  // namespace coopcheck::tracer
