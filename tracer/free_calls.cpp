// What a free run does at functions with breakpoints.
#include <link.h>
#include <sys/resource.h>

#include "core/error.hpp"
#include "tracer/demangle.hpp"
#include "tracer/free_run.hpp"
#include "tracer/origin.hpp"
#include "tracer/site.hpp"
#include "tracer/supported_program.hpp"

namespace coopcheck::tracer {

namespace {

bool has_time_limit(const user_regs_struct& registers, Deadline which) {
    switch (which) {
        case Deadline::Second:
            return registers.rsi != 0;
        case Deadline::Third:
            return registers.rdx != 0;
        case Deadline::Fourth:
            return registers.rcx != 0;
        case Deadline::None:
            break;
    }
    return false;
}

}  // namespace

void FreeRun::install_breakpoints(const Launched& launched) {
    auto loaded = std::make_shared<Loaded>();
    loaded->breakpoints = Breakpoints(session_.options.copies);
    const ProgramFile& program = session_.launcher.program();
    const auto symbols = session_.files.open(program.path());
    loaded->modules.add(
        {RemoteAddress{number(launched.program_headers) - symbols->program_headers()}, symbols});
    if (!program.interpreter().empty() && launched.loader != null_address) {
        const auto loader = session_.files.open(program.interpreter());
        loaded->modules.add({launched.loader, loader});
        if (const auto list = loader->variable("_r_debug")) loaded->loader_list = launched.loader + *list;
    }
    refuse_unsupported(loaded->modules);
    loaded->breakpoints.install(memory_, loaded->modules);
    state_.loaded = std::move(loaded);
}

void FreeRun::refresh_loaded() {
    const auto list = memory_.read_value<r_debug>(state_.loaded->loader_list);
    if (!list || list.value().r_state != r_debug::RT_CONSISTENT) return;
    auto loaded = std::make_shared<Loaded>(*state_.loaded);
    loaded->modules.add_from_loader(memory_, loaded->loader_list, session_.files);
    refuse_unsupported(loaded->modules);
    // Nobody runs in what has just been loaded.
    loaded->breakpoints.install(memory_, loaded->modules);
    state_.loaded = std::move(loaded);
}

void FreeRun::on_call(ProcessId id, user_regs_struct registers, RemoteAddress function,
                      const Breakpoint& breakpoint) {
    const Hook& hook = *breakpoint.hook;
    Tracee& tracee = tracees_[id];
    const bool is_ours = tracee.thread.has_value();
    std::optional<Operation> operation;
    if (is_ours) {
        VirtualThread& thread = state_.threads[*tracee.thread];
        thread.registers = registers;
        if (hook.use == CallUse::LoaderEvent) {
            refresh_loaded();
        } else if (hook.use == CallUse::StartMain) {
            auto loaded = std::make_shared<Loaded>(*state_.loaded);
            loaded->breakpoints.install(memory_, RemoteAddress{registers.rdi}, main_hook());
            state_.loaded = std::move(loaded);
        } else if (hook.use == CallUse::Main) {
            started_ = true;
        } else if (!is_nested(tracee, registers, function)) {
            operation = operation_of(tracee, registers, hook);
        }
    }
    // Breakpoints are looked up again: what is loaded may have changed.
    if (!enter(id, registers, function, *state_.loaded->breakpoints.find(function))) return;
    if (operation && (started_ || operation->kind == OpKind::ThreadCreate)) {
        started_ = true;
        arrive(id, *operation);
    } else {
        go_on(id);
    }
}

bool FreeRun::enter(ProcessId id, user_regs_struct registers, RemoteAddress function,
                    const Breakpoint& breakpoint) {
    if (breakpoint.native == null_address) {
        step_alone(id, registers, function, breakpoint);
        return !tracees_[id].put_aside;
    }
    registers.rip = number(breakpoint.native);
    // Fails only for one that has been killed; its end will be reported.
    return !ptrace::set_registers(id, registers);
}

bool FreeRun::is_nested(const Tracee& tracee, const user_regs_struct& registers,
                        RemoteAddress function) const {
    // A function of the library that calls another one (mtx_lock calls pthread_mutex_lock): the outer call
    // has not returned as long as its return address is in its place, and the inner one comes from the
    // library.
    if (!tracee.inside || RemoteAddress{registers.rsp} >= tracee.inside->stack) return false;
    const auto caller = memory_.read_value<std::uint64_t>(RemoteAddress{registers.rsp});
    const auto outer = memory_.read_value<std::uint64_t>(tracee.inside->stack);
    if (!caller || !outer || outer.value() != tracee.inside->return_address) return false;
    const Modules& modules = state_.loaded->modules;
    return modules.find(RemoteAddress{caller.value()}) == modules.find(function);
}

std::optional<Operation> FreeRun::operation_of(Tracee& tracee, const user_regs_struct& registers,
                                               const Hook& hook) {
    VirtualThread& thread = state_.threads[*tracee.thread];
    const RemoteAddress argument{registers.rdi};
    const auto return_address = memory_.read_value<std::uint64_t>(RemoteAddress{registers.rsp});
    const bool is_known_spin_lock = state_.objects.contains(object_key(argument, ObjectClass::SpinLock));
    switch (hook.use) {
        case CallUse::Initialize:
            name_new_object(thread, argument, hook.object_class);
            return std::nullopt;
        case CallUse::SpinInitOrUnlock: {
            // glibc: 1 is free, 0 and less is held.
            const auto value = memory_.read_value<int>(argument);
            if (!is_known_spin_lock || (value && value.value() > 0)) {
                name_new_object(thread, argument, ObjectClass::SpinLock);
                return std::nullopt;
            }
            break;
        }
        case CallUse::AssertFail:
            tracee.has_failed = true;
            operations_.push_back({thread.id, {.kind = OpKind::Failure}});
            return std::nullopt;
        case CallUse::Complete:
        case CallUse::RunNative:
        case CallUse::Create:
        case CallUse::Once:
        case CallUse::StreamLock:
        case CallUse::Name:
            break;
        default:
            return std::nullopt;
    }
    Operation operation{.kind = hook.kind};
    operation.timed = has_time_limit(registers, hook.deadline);
    const ObjectClass object_class = traits(hook.kind).object_class;
    if (hook.kind == OpKind::ThreadCreate) {
        operation.thread = session_.names.threads.child(thread.id, thread.children + 1);
    } else if (hook.use == CallUse::Name) {
        // The name is not looked at: which semaphore it is does not matter for the order.
    } else if (object_class != ObjectClass::None) {
        // What the runtime libraries lock for themselves is nobody's business.
        if (hook.use != CallUse::StreamLock && state_.loaded->modules.is_runtime_data(argument))
            return std::nullopt;
        operation.object = object_at(thread, argument, object_class);
    } else if (hook.kind != OpKind::ThreadTestCancel) {
        for (const VirtualThread& other : state_.threads) {
            if (other.registers.fs_base == registers.rdi) operation.thread = other.id;
        }
    }
    if (hook.has_mutex) operation.mutex = object_at(thread, RemoteAddress{registers.rsi}, ObjectClass::Mutex);
    if (return_address) {
        operation.site = find_site(
            {RemoteAddress{return_address.value()}, registers.rsp + sizeof(std::uint64_t), registers.rbp},
            state_.loaded->modules, memory_, session_.source_lines, session_.unwinder);
    }
    // The routine of a once is the program's own code, which has operations of its own.
    tracee.inside.reset();
    if (return_address && hook.use != CallUse::Once)
        tracee.inside = Inside{RemoteAddress{registers.rsp}, return_address.value()};
    return operation;
}

ObjectId FreeRun::object_at(VirtualThread& thread, RemoteAddress address, ObjectClass object_class) {
    ObjectId& object = state_.objects[object_key(address, object_class)];
    if (!object.valid()) {
        std::string name = origin_of(address, state_, session_.names.threads);
        if (name.empty()) {
            name = session_.names.threads.name(thread.id) + "/" + std::string(class_name(object_class)) +
                   "@" + std::to_string(thread.objects_made[static_cast<std::size_t>(object_class)]);
        }
        object = session_.names.objects.intern(name);
    }
    return object;
}

void FreeRun::name_new_object(VirtualThread& thread, RemoteAddress address, ObjectClass object_class) {
    std::string name = state_.loaded->modules.variable_name(address);
    if (name.empty()) {
        unsigned& made = thread.objects_made[static_cast<std::size_t>(object_class)];
        made += 1;
        name = session_.names.threads.name(thread.id) + "/" + std::string(class_name(object_class)) + "#" +
               std::to_string(made);
    }
    state_.objects[object_key(address, object_class)] = session_.names.objects.intern(name);
}

const std::string& FreeRun::function_of(std::uint64_t site) {
    const auto [position, is_new] = session_.functions.try_emplace(site);
    // A site is the place after the call, which may be the start of the next function.
    const RemoteAddress call{site - 1};
    const Module* module = site == 0 || !is_new ? nullptr : state_.loaded->modules.find(call);
    if (module != nullptr) {
        const SymbolFile::Symbol* symbol = module->file->function_at(call - module->base);
        if (symbol != nullptr) position->second = demangled(symbol->name);
    }
    return position->second;
}

void FreeRun::arrive(ProcessId id, const Operation& operation) {
    Tracee& tracee = tracees_[id];
    tracee.is_held = true;
    tracee.operation = operation;
    tracee.function = function_of(operation.site);
    tracee.held_at_operation.reset();
    NoisePoint point{state_.threads[*tracee.thread].id, operation.kind, tracee.function, {}};
    for (const auto& [other_id, other] : tracees_) {
        if (other_id != id && other.thread && !other.function.empty()) point.others.push_back(other.function);
    }
    const Noise noise = decide_(point);
    noises_ += noise.kind != NoiseKind::None ? 1 : 0;
    switch (noise.kind) {
        case NoiseKind::Yield:
            tracee.held_at_operation = operations_.size();
            [[fallthrough]];
        case NoiseKind::Sleep:
            tracee.held_until = Clock::now() + noise.duration;
            return;
        case NoiseKind::Priority:
            // Only the privileged may give back a priority that was taken.
            if (::setpriority(PRIO_PROCESS, static_cast<id_t>(id), noise.nice) != 0) refused_priorities_ += 1;
            break;
        case NoiseKind::None:
            break;
    }
    go_on(id);
}

}  // namespace coopcheck::tracer
