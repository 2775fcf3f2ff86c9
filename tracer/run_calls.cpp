// What a run does at functions with breakpoints.
#include <link.h>
#include <pthread.h>
#include <threads.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/error.hpp"
#include "tracer/called_name.hpp"
#include "tracer/object_layout.hpp"
#include "tracer/run.hpp"
#include "tracer/scratch.hpp"
#include "tracer/supported_program.hpp"

namespace coopcheck::tracer {

namespace {

std::uint64_t argument(const user_regs_struct& registers, Deadline which) {
    switch (which) {
        case Deadline::Second:
            return registers.rsi;
        case Deadline::Third:
            return registers.rdx;
        case Deadline::Fourth:
            return registers.rcx;
        case Deadline::None:
            break;
    }
    return 0;
}

int c11_result(int error) {
    switch (error) {
        case 0:
            return thrd_success;
        case EBUSY:
            return thrd_busy;
        case ENOMEM:
            return thrd_nomem;
        case ETIMEDOUT:
            return thrd_timedout;
        default:
            return thrd_error;
    }
}

/// __errno_location is `mov slot(%rip),%rax; add %fs:0,%rax; ret` in a shared libc and `mov $offset,%rax; add
/// %fs:0,%rax; ret` in a static one.
std::optional<std::int64_t> find_errno(const TargetMemory& memory, const Modules& modules) {
    for (const Module& module : modules.all()) {
        const auto function = module.file->function("__errno_location");
        if (!function) continue;
        std::array<std::byte, 7> code{};
        const RemoteAddress at = module.base + *function;
        if (memory.read(at, code)) continue;
        std::int32_t immediate = 0;
        std::memcpy(&immediate, code.data() + 3, sizeof immediate);
        const auto starts_with = [&](unsigned a, unsigned b, unsigned c) {
            return code[0] == std::byte(a) && code[1] == std::byte(b) && code[2] == std::byte(c);
        };
        if (starts_with(0x48, 0xc7, 0xc0)) return immediate;
        if (starts_with(0x48, 0x8b, 0x05)) {
            const auto slot = at + code.size() + static_cast<std::uint64_t>(std::int64_t{immediate});
            if (const auto offset = memory.read_value<std::int64_t>(slot)) return offset.value();
        }
    }
    return std::nullopt;
}

/// Whether a pthread_attr_t asks for a detached thread (flags, bit ATTR_FLAG_DETACHSTATE, of glibc's struct
/// pthread_attr).
bool asks_for_detached(const TargetMemory& memory, RemoteAddress attributes) {
    constexpr std::uint64_t flags_at = 8;
    if (attributes == null_address) return false;
    const auto flags = memory.read_value<std::uint32_t>(attributes + flags_at);
    return flags && (flags.value() & 1U) != 0;
}

}  // namespace

bool Run::is_made_by(const NativeCall& outer, RemoteAddress function, const Hook& hook,
                     RemoteAddress stack) const {
    if (!outer.may_enclose(function, hook, stack)) return false;
    // A call that has returned leaves its return address behind only until the stack is used again.
    const auto return_address = memory_.read_value<RemoteAddress>(outer.stack);
    return return_address && return_address.value() == outer.return_address;
}

Run::Next Run::on_call(VirtualThread& thread, RemoteAddress function, const Breakpoint& breakpoint) {
    // The breakpoint belongs to what is replaced when another one is installed.
    const std::shared_ptr<const Loaded> kept = state_.loaded;
    const Hook& hook = *breakpoint.hook;
    if (thread.native_call) {
        const RemoteAddress stack{thread.registers.rsp};
        if (is_made_by(*thread.native_call, function, hook, stack))
            return enter_native(thread, function, breakpoint);
        if (stack >= thread.native_call->stack || hook.kind == thread.native_call->hook->kind) {
            thread.native_call.reset();
        }
    }
    switch (hook.use) {
        case CallUse::Complete:
        case CallUse::RunNative:
        case CallUse::Create:
        case CallUse::Once:
        case CallUse::StreamLock:
            return on_operation(thread, function, breakpoint);
        case CallUse::Name:
            return on_name(thread, function, breakpoint);
        case CallUse::SpinInitOrUnlock: {
            const auto known =
                state_.objects.find(object_key(RemoteAddress{thread.registers.rdi}, ObjectClass::SpinLock));
            if (known != state_.objects.end() && state_.model.known(known->second) &&
                state_.model.object(known->second).owner.valid()) {
                return on_operation(thread, function, breakpoint);
            }
            // A lock that is known and free: begun anew, or given back once too often.
            if (known != state_.objects.end() && state_.model.known(known->second)) {
                const auto caller = memory_.read_value<RemoteAddress>(RemoteAddress{thread.registers.rsp});
                if (caller && called_name(memory_, state_.loaded->modules, caller.value()) == hook.name)
                    return on_operation(thread, function, breakpoint);
            }
            return on_initialize(thread, function, breakpoint);
        }
        case CallUse::Initialize:
            return on_initialize(thread, function, breakpoint);
        case CallUse::CancelState:
            if (thread.registers.rdi <= PTHREAD_CANCEL_DISABLE) {
                state_.model.set_cancel_enabled(thread.id, thread.registers.rdi == PTHREAD_CANCEL_ENABLE);
            }
            return enter_native(thread, function, breakpoint);
        case CallUse::ThreadExit:
            // From here on libc ignores requests, also at the cancellation points of clean-up handlers.
            state_.model.set_cancel_enabled(thread.id, false);
            return enter_native(thread, function, breakpoint);
        case CallUse::Sleep:
            return on_sleep_call(thread, function, breakpoint);
        case CallUse::SendSignal:
            return on_send_call(thread, function, breakpoint);
        case CallUse::AssertFail:
            return on_assert_fail(thread);
        case CallUse::LoaderEvent:
            return on_loader_event(thread);
        case CallUse::StartMain: {
            auto loaded = std::make_shared<Loaded>(*state_.loaded);
            loaded->breakpoints.install(memory_, RemoteAddress{thread.registers.rdi}, main_hook());
            state_.loaded = std::move(loaded);
            return enter_native(thread, function, breakpoint);
        }
        case CallUse::Main: {
            state_.started = true;
            auto loaded = std::make_shared<Loaded>(*state_.loaded);
            loaded->breakpoints.remove(memory_, function);
            state_.loaded = std::move(loaded);
            thread.registers.rip = number(function);
            return Next::ResumeChanged;
        }
        case CallUse::SpinPoint:
            return on_spin_point(thread, function, breakpoint);
        case CallUse::Access:
            return on_access_point(thread, function, breakpoint);
        case CallUse::Allocator:
            return on_allocator_call(thread, function, breakpoint);
        case CallUse::Bind:
            thread.binding = true;
            return enter_native(thread, function, breakpoint);
        case CallUse::Bound:
            return leave_binding(thread);
        case CallUse::Refuse:
            break;
    }
    throw Error("The program calls " + std::string(hook.name) +
                ", which coopcheck does not model; it cannot be checked.");
}

Run::Next Run::enter_native(VirtualThread& thread, RemoteAddress function, const Breakpoint& breakpoint) {
    if (breakpoint.native == null_address) {
        step_over(thread, function, breakpoint);
        return Next::Resume;
    }
    thread.registers.rip = number(breakpoint.native);
    return Next::ResumeChanged;
}

Run::Next Run::on_operation(VirtualThread& thread, RemoteAddress function, const Breakpoint& breakpoint) {
    const Hook& hook = *breakpoint.hook;
    const user_regs_struct& registers = thread.registers;
    const ObjectClass object_class = traits(hook.kind).object_class;
    if (hook.kind == OpKind::SemClose && !scratch::is_named_semaphore(RemoteAddress{registers.rdi})) {
        set_errno(thread, EINVAL);
        return_from_call(thread, ~0ULL);
        return Next::ResumeChanged;
    }
    Parking parking{.at = Parking::At::Call, .hook = &hook, .function = function};
    Operation operation{.kind = hook.kind};

    std::array<std::byte, object_layout::most_bytes_needed> bytes{};
    std::array<std::byte, sizeof(std::uint64_t)> return_address{};
    const auto object_bytes = std::span(bytes).first(
        object_class == ObjectClass::None ? 0 : object_layout::bytes_needed(object_class));
    if (memory_.read(RemoteAddress{registers.rsp}, return_address, RemoteAddress{registers.rdi},
                     object_bytes)) {
        // The object is not in memory: the function's own code will fail as it would without us. Completed
        // calls have no copy of their first instruction, so they are stepped over.
        return enter_native(thread, function, breakpoint);
    }
    std::memcpy(&parking.return_address, return_address.data(), sizeof parking.return_address);

    if (hook.use == CallUse::StreamLock) {
        operation.object = stream_lock_at(thread, RemoteAddress{registers.rdi});
    } else if (object_class != ObjectClass::None) {
        operation.object = object_at(thread, RemoteAddress{registers.rdi}, object_class, object_bytes);
    } else if (hook.kind == OpKind::ThreadTestCancel) {
        // About the thread itself.
    } else if (hook.kind == OpKind::ThreadCreate) {
        operation.thread = session_->names.threads.child(thread.id, thread.children + 1);
        operation.value = asks_for_detached(memory_, RemoteAddress{registers.rsi}) ? 1 : 0;
        state_.started = true;
    } else {
        const VirtualThread* target = thread_with_handle(registers.rdi);
        if (target == nullptr) {
            return_from_call(thread, ESRCH);
            return Next::ResumeChanged;
        }
        operation.thread = target->id;
    }
    if (hook.has_mutex) {
        const RemoteAddress mutex{registers.rsi};
        std::array<std::byte, object_layout::most_bytes_needed> content{};
        const auto mutex_bytes = std::span(content).first(object_layout::bytes_needed(ObjectClass::Mutex));
        if (memory_.read(mutex, mutex_bytes)) return enter_native(thread, function, breakpoint);
        operation.mutex = object_at(thread, mutex, ObjectClass::Mutex, mutex_bytes);
    }
    if (const RemoteAddress limit{argument(registers, hook.deadline)}; limit != null_address) {
        const auto time = memory_.read_value<timespec>(limit);
        if (!time) return enter_native(thread, function, breakpoint);
        constexpr long second_ns = 1'000'000'000;
        if (time.value().tv_nsec < 0 || time.value().tv_nsec >= second_ns) {
            thread.parking = parking;
            complete_call(thread, {.result = EINVAL});
            return Next::ResumeChanged;
        }
        operation.timed = true;
        parking.deadline = VirtualClock::from_absolute(time.value());
    }
    if (const auto outcome = do_quietly(thread, operation)) {
        thread.parking = parking;
        complete_call(thread, *outcome);
        return Next::ResumeChanged;
    }
    operation.site = site_of_caller(thread, parking.return_address);
    return park(thread, operation, parking);
}

Run::Next Run::on_sleep_call(VirtualThread& thread, RemoteAddress function, const Breakpoint& breakpoint) {
    const ThreadState& state = state_.model.thread(thread.id);
    // Its own code sleeps by a system call, and that is the operation.
    if (!state.cancel_requested || !state.cancel_enabled) return enter_native(thread, function, breakpoint);
    // Libc acts on the request before it makes the system call, so this is the last place to see the sleep.
    return park(thread, {.kind = OpKind::Sleep, .site = site_of_caller(thread)},
                {.at = Parking::At::Call, .hook = breakpoint.hook, .function = function});
}

Run::Next Run::on_send_call(VirtualThread& thread, RemoteAddress function, const Breakpoint& breakpoint) {
    const auto live = std::count_if(state_.threads.begin(), state_.threads.end(),
                                    [](const VirtualThread& other) { return other.live; });
    const bool may_be_for_itself = breakpoint.hook->name.starts_with("pthread_");
    if (live == 1 || (may_be_for_itself && thread.registers.rdi == thread.registers.fs_base))
        return enter_native(thread, function, breakpoint);
    // Before its own code: that takes a lock against the end of the other thread, which must be able to come
    // first.
    const auto return_address = memory_.read_value<RemoteAddress>(RemoteAddress{thread.registers.rsp});
    if (!return_address) return enter_native(thread, function, breakpoint);
    return park(thread,
                {.kind = OpKind::SystemCall,
                 .object = session_->names.objects.intern(std::string(breakpoint.hook->name)),
                 .location = Location::world(),
                 .value = 1,
                 .site = site_of_caller(thread, return_address.value())},
                {.at = Parking::At::Call,
                 .hook = breakpoint.hook,
                 .function = function,
                 .return_address = return_address.value()});
}

std::optional<Outcome> Run::do_quietly(const VirtualThread& thread, const Operation& operation) {
    if (!operation.object.valid() || !session_->is_internal(operation.object)) return std::nullopt;
    const auto options = state_.model.options(thread.id, operation);
    if (options.size() != 1 || options.front() != Variant::normal()) return std::nullopt;
    switch (operation.kind) {
        case OpKind::MutexLock:
        case OpKind::MutexUnlock:
        case OpKind::MutexTryLock:
        case OpKind::MutexDestroy:
        case OpKind::RwReadLock:
        case OpKind::RwWriteLock:
        case OpKind::RwUnlock:
        case OpKind::OnceEnter:
        case OpKind::OnceDone:
        case OpKind::OnceAbort:
        case OpKind::FutexWake:
            return state_.model.apply(thread.id, operation, Variant::normal());
        default:
            return std::nullopt;  // something may be waited for
    }
}

Run::Next Run::on_assert_fail(VirtualThread& thread) {
    const user_regs_struct& registers = thread.registers;
    const std::string condition = memory_.read_string(RemoteAddress{registers.rdi});
    const std::string file = memory_.read_string(RemoteAddress{registers.rsi});
    const std::string function = memory_.read_string(RemoteAddress{registers.rcx});
    const std::string message = file + ":" + std::to_string(static_cast<unsigned>(registers.rdx)) + ": " +
                                function + (function.empty() ? "" : ": ") + "Assertion `" + condition +
                                "' failed.";
    // What __assert_fail would have written.
    state_.output[1] += state_.loaded->modules.all().front().name() + ": " + message + "\n";
    return fail(thread, FindingKind::Assertion, message, site_of_caller(thread));
}

Run::Next Run::on_loader_event(VirtualThread& thread) {
    const auto list = memory_.read_value<r_debug>(state_.loaded->loader_list);
    if (list && list.value().r_state == r_debug::RT_CONSISTENT) refresh_loaded();
    return_from_call(thread, thread.registers.rax);
    return Next::ResumeChanged;
}

void Run::refresh_loaded() {
    auto loaded = std::make_shared<Loaded>(*state_.loaded);
    if (loaded->loader_list != null_address) {
        loaded->modules.add_from_loader(memory_, loaded->loader_list, session_->files);
    }
    refuse_unsupported(loaded->modules);
    loaded->breakpoints.install(memory_, loaded->modules);
    for (const RemoteAddress point : session_->spin_points) {
        if (loaded->modules.find(point) != nullptr)
            loaded->breakpoints.install(memory_, point, spin_point_hook());
    }
    loaded->errno_offset = find_errno(memory_, loaded->modules);
    for (const Module& module : loaded->modules.all()) {
        if (const auto function = module.file->function("pthread_testcancel")) {
            loaded->test_cancel = module.base + *function;
            // Its entry holds a breakpoint.
            const Breakpoint* breakpoint = loaded->breakpoints.find(loaded->test_cancel);
            if (breakpoint != nullptr && breakpoint->native != null_address)
                loaded->test_cancel = breakpoint->native;
        }
    }
    state_.loaded = std::move(loaded);
    session_->instructions.clear();
    install_allocator_hooks();
    install_access_points();
}

void Run::return_from_call(VirtualThread& thread, std::uint64_t result) {
    user_regs_struct& registers = thread.registers;
    const auto return_address = memory_.read_value<std::uint64_t>(RemoteAddress{registers.rsp});
    registers.rip = return_address ? return_address.value() : 0;
    registers.rsp += sizeof(std::uint64_t);
    registers.rax = result;
    registers.orig_rax = ~0ULL;
}

void Run::set_errno(const VirtualThread& thread, int error) {
    if (!state_.loaded->errno_offset) return;
    const RemoteAddress place{thread.registers.fs_base +
                              static_cast<std::uint64_t>(*state_.loaded->errno_offset)};
    static_cast<void>(memory_.write_value(place, error));
}

void Run::unwind_cancelled(VirtualThread& thread) {
    // The target's own pthread_cancel has marked the thread, so pthread_testcancel ends it.
    if (state_.loaded->test_cancel == null_address) {
        throw Error(
            "The program cancels a thread, but has no pthread_testcancel to do it with; it cannot be "
            "checked.");
    }
    thread.registers.rip = number(state_.loaded->test_cancel);
    thread.registers.orig_rax = ~0ULL;
}

void Run::complete_call(VirtualThread& thread, const Outcome& outcome) {
    const Parking& parking = thread.parking;
    const Hook& hook = *parking.hook;
    user_regs_struct& registers = thread.registers;
    if (outcome.cancelled) {
        unwind_cancelled(thread);
        return;
    }
    if (hook.use == CallUse::Name) {
        const Operation& operation = parked_entry(thread.id).operation;
        return_from_call(thread, static_cast<std::uint64_t>(hook.kind == OpKind::SemOpen
                                                                ? open_semaphore(thread, operation)
                                                                : unlink_semaphore(thread, operation)));
        return;
    }
    const bool goes_native =
        ((hook.use == CallUse::RunNative || hook.use == CallUse::StreamLock) && outcome.result == 0) ||
        hook.use == CallUse::Create || hook.use == CallUse::SendSignal ||
        (hook.use == CallUse::Once && outcome.run_once_routine);
    if (goes_native) {
        if (hook.use == CallUse::Once) {
            thread.once_running.push_back(RemoteAddress{registers.rdi});
        } else {
            thread.native_call =
                NativeCall{&hook, parking.function, RemoteAddress{registers.rsp}, parking.return_address};
            if (hook.use == CallUse::Create) begin_creation(thread);
        }
        const Breakpoint& breakpoint = *state_.loaded->breakpoints.find(parking.function);
        if (breakpoint.native == null_address) {
            activate(thread);
            step_over(thread, parking.function, breakpoint);
        } else {
            registers.rip = number(breakpoint.native);
        }
        return;
    }
    std::int64_t result = outcome.result;
    switch (hook.kind) {
        case OpKind::MutexDestroy:
        case OpKind::CondDestroy:
        case OpKind::RwDestroy:
            mark_destroyed(RemoteAddress{registers.rdi}, traits(hook.kind).object_class);
            break;
        case OpKind::OnceDone:
            // __cxa_guard_release: from now on the compiler's code does not ask any more.
            static_cast<void>(memory_.write_value(RemoteAddress{registers.rdi}, std::uint8_t{1}));
            break;
        default:
            break;
    }
    switch (hook.result) {
        case ResultStyle::ErrorNumber:
            break;
        case ResultStyle::MinusOne:
            if (result != 0) {
                set_errno(thread, outcome.result);
                result = -1;
            }
            break;
        case ResultStyle::C11:
            result = c11_result(outcome.result);
            break;
        case ResultStyle::Stored:
            static_cast<void>(memory_.write_value(RemoteAddress{registers.rsi}, outcome.result));
            result = 0;
            break;
        case ResultStyle::Guard:
            result = outcome.run_once_routine ? 1 : 0;
            break;
    }
    registers.rip = number(parking.return_address);
    registers.rsp += sizeof(std::uint64_t);
    registers.rax = static_cast<std::uint64_t>(result);
    registers.orig_rax = ~0ULL;
}

}  // namespace coopcheck::tracer
