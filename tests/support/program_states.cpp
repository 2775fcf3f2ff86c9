#include "tests/support/program_states.hpp"

#include <algorithm>
#include <cerrno>

#include "core/check.hpp"

namespace coopcheck::testing {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }
ThreadId id(int thread) { return ThreadId{static_cast<std::uint32_t>(thread)}; }

OpKind second_half_of(OpKind kind) {
    switch (kind) {
        case OpKind::CondWait:
            return OpKind::CondResume;
        case OpKind::RwWriteLock:
            return OpKind::RwWriteResume;
        case OpKind::BarrierWait:
            return OpKind::BarrierResume;
        case OpKind::FutexWait:
            return OpKind::FutexResume;
        default:
            COOPCHECK_CHECK(false, "an operation without a second half");
    }
}

}  // namespace

ProgramStates::ProgramStates(const Program& program, ModelOptions options)
    : program_(program), first_model_(options) {
    const auto wrong = problem(program);
    COOPCHECK_CHECK(!wrong, *wrong);
    const auto each = [&](Operand operand, auto&& how) {
        first_id_[static_cast<std::size_t>(operand)] = static_cast<std::uint32_t>(object_names_.size());
        for (int index = 0; index < object_count(program, operand); ++index) {
            declare(operand, index, how(at(index)), first_model_);
        }
    };
    each(Operand::Mutex, [&](std::size_t index) {
        const MutexDeclaration& mutex = program.mutexes[index];
        return ObjectInit{
            .object_class = ObjectClass::Mutex, .mutex_kind = mutex.kind, .robust = mutex.robust};
    });
    each(Operand::Condition, [](std::size_t) { return ObjectInit{.object_class = ObjectClass::Condition}; });
    each(Operand::RwLock, [&](std::size_t index) {
        return ObjectInit{.object_class = ObjectClass::RwLock, .rw_policy = program.rwlocks[index]};
    });
    each(Operand::Spin, [](std::size_t) { return ObjectInit{.object_class = ObjectClass::SpinLock}; });
    each(Operand::Semaphore, [&](std::size_t index) {
        return ObjectInit{.object_class = ObjectClass::Semaphore, .value = program.semaphores[index]};
    });
    each(Operand::Barrier, [&](std::size_t index) {
        return ObjectInit{.object_class = ObjectClass::Barrier, .value = program.barriers[index]};
    });
    each(Operand::Once, [](std::size_t) { return ObjectInit{.object_class = ObjectClass::Once}; });
    const bool has_futexes =
        std::any_of(program.threads.begin(), program.threads.end(), [](const auto& thread) {
            return std::any_of(thread.begin(), thread.end(), [](const Instruction& one) {
                return traits(traits(one.code).kind).object_class == ObjectClass::Futex;
            });
        });
    if (has_futexes) {  // otherwise they would only make every state larger
        each(Operand::Variable, [](std::size_t) { return ObjectInit{.object_class = ObjectClass::Futex}; });
    }
}

void ProgramStates::declare(Operand operand, int index, const ObjectInit& how, SyncModel& model) {
    const std::string name = object_name(operand, index);
    object_names_.push_back(operand == Operand::Variable ? "futex " + name : name);
    COOPCHECK_CHECK(!model.init(id_of(operand, index), how), "an object that cannot be made");
}

ObjectId ProgramStates::id_of(Operand operand, int index) const {
    return ObjectId{first_id_[static_cast<std::size_t>(operand)] + static_cast<std::uint32_t>(index)};
}

std::uint32_t ProgramStates::number_of(const SyncModel& model) {
    const auto [position, is_new] =
        model_numbers_.try_emplace(model, static_cast<std::uint32_t>(models_.size()));
    if (is_new) {
        models_.push_back(&position->first);
    }
    return position->second;
}

const std::vector<Instruction>& ProgramStates::code(int thread) const { return program_.threads[at(thread)]; }

const Instruction& ProgramStates::instruction(const ProgramState& state, int thread) const {
    return code(thread)[at(state.threads[at(thread)].place)];
}

bool ProgramStates::live(const ProgramState& state, int thread) const {
    const Phase phase = state.threads[at(thread)].phase;
    return phase != Phase::Unborn && phase != Phase::Gone;
}

std::string ProgramStates::thread_name(const ProgramState& state, int thread) const {
    if (thread == 0) {
        return "T0";
    }
    const ProgramState::Thread& frame = state.threads[at(thread)];
    return thread_name(state, frame.parent) + '.' + std::to_string(frame.nth);
}

std::string ProgramStates::target_name(const ProgramState& state, const Operation& operation) const {
    return operation.thread.valid()   ? thread_name(state, static_cast<int>(operation.thread.index()))
           : operation.object.valid() ? object_names_[operation.object.index()]
                                      : std::string();
}

ProgramState ProgramStates::start() {
    ProgramState state{};
    std::copy(program_.variables.begin(), program_.variables.end(), state.variables.begin());
    state.threads[0].phase = Phase::At;
    state.model = number_of(first_model_);
    run_local(state, 0);
    return state;
}

Operation ProgramStates::first_half(const Instruction& instruction) const {
    const OpcodeTraits& row = traits(instruction.code);
    Operation operation;
    operation.kind = row.kind;
    operation.timed = row.timed;
    const bool is_data =
        row.kind == OpKind::Read || row.kind == OpKind::Write || row.kind == OpKind::ReadWrite;
    if (row.operand == Operand::Thread) {
        operation.thread = id(instruction.object);
    } else if (row.operand != Operand::None && !is_data) {
        operation.object = id_of(row.operand, instruction.object);
    }
    if (row.kind == OpKind::CondWait) {
        operation.mutex = id_of(Operand::Mutex, instruction.value);
    }
    if (row.kind == OpKind::Choose || row.kind == OpKind::FutexWake || row.kind == OpKind::ProcessExit) {
        operation.value = instruction.value;
    }
    return operation;
}

Operation ProgramStates::pending(const ProgramState& state, int thread) const {
    Operation operation;
    switch (state.threads[at(thread)].phase) {
        case Phase::Start:
            operation.kind = OpKind::ThreadStart;
            break;
        case Phase::Exit:
            operation.kind = OpKind::ThreadExit;
            break;
        case Phase::Failing:
            operation.kind = OpKind::Failure;
            break;
        case Phase::Aborting:
            operation = first_half(instruction(state, thread));
            operation.kind = OpKind::OnceAbort;
            break;
        case Phase::At:
            operation = first_half(instruction(state, thread));
            break;
        case Phase::Half:
            operation = first_half(instruction(state, thread));
            operation.value = operation.kind == OpKind::FutexWait ? 1 : operation.value;
            operation.kind = second_half_of(operation.kind);
            break;
        case Phase::Unborn:
        case Phase::Gone:
            COOPCHECK_CHECK(false, "a thread that does not live");
    }
    return operation;
}

std::uint8_t ProgramStates::enabled(const ProgramState& state) const {
    unsigned bits = 0;
    for (int thread = 0; thread < static_cast<int>(program_.threads.size()); ++thread) {
        if (live(state, thread) && model_of(state).enabled(id(thread), pending(state, thread))) {
            bits |= 1U << static_cast<unsigned>(thread);
        }
    }
    return static_cast<std::uint8_t>(bits);
}

void ProgramStates::transitions(const ProgramState& state, std::vector<Transition>& result) {
    result.clear();
    const bool anybody = enabled(state) != 0;
    for (int thread = 0; thread < static_cast<int>(program_.threads.size()); ++thread) {
        if (!live(state, thread)) {
            continue;
        }
        const Operation operation = pending(state, thread);
        if (!anybody && model_of(state).can_time_out(id(thread), operation)) {
            add_step(state, thread, operation, Variant::timeout(), result);
        }
        for (const Variant variant : model_of(state).options(id(thread), operation)) {
            add_step(state, thread, operation, variant, result);
        }
    }
}

void ProgramStates::add_step(const ProgramState& state, int thread, const Operation& operation,
                             Variant variant, std::vector<Transition>& result) {
    Transition transition{.thread = thread, .next = state, .ending = std::nullopt};
    scratch_ = model_of(state);
    transition.ending = step(transition.next, scratch_, thread, operation, variant);
    transition.gives_way = operation.kind == OpKind::Yield || operation.kind == OpKind::Sleep ||
                           operation.kind == OpKind::ThreadExit;
    if (!transition.ending) {
        transition.next.model = number_of(scratch_);
    }
    result.push_back(std::move(transition));
}

std::optional<Ending> ProgramStates::step(ProgramState& state, SyncModel& model, int thread,
                                          Operation operation, Variant variant) {
    ProgramState::Thread& frame = state.threads[at(thread)];
    if (operation.kind == OpKind::FutexWait) {
        const Instruction& wait = instruction(state, thread);
        operation.value = state.variables[at(wait.object)] == wait.value ? 1 : 0;
    }
    const Outcome outcome = model.apply(id(thread), operation, variant);
    if (outcome.misuse) {
        return Ending{&Outcomes::misuses, describe_misuse(*outcome.misuse, thread_name(state, thread),
                                                          operation.kind, target_name(state, operation))};
    }
    if (outcome.parked_at) {
        frame.phase = Phase::Half;
        COOPCHECK_CHECK(pending(state, thread) == *outcome.parked_at, "another second half than expected");
        return std::nullopt;
    }
    if (outcome.cancelled || frame.phase == Phase::Aborting) {
        unwind(state, thread);
        return std::nullopt;
    }
    if (frame.phase == Phase::Failing) {
        return Ending{&Outcomes::assertions,
                      describe_assertion(thread_name(state, thread),
                                         assertion_text(thread, frame.place, instruction(state, thread)))};
    }
    if (frame.phase == Phase::Exit) {
        frame.phase = Phase::Gone;
        return all_ended(state);
    }
    if (frame.phase == Phase::Start) {
        frame.phase = Phase::At;
        run_local(state, thread);
        return std::nullopt;
    }
    return complete(state, thread, operation, outcome);
}

std::optional<Ending> ProgramStates::complete(ProgramState& state, int thread, const Operation& operation,
                                              const Outcome& outcome) {
    ProgramState::Thread& frame = state.threads[at(thread)];
    const Instruction& done = instruction(state, thread);
    std::int32_t result = outcome.result;
    switch (done.code) {
        case Opcode::Exit:
            return Ending{&Outcomes::final_states, describe_exit(static_cast<int>(operation.value))};
        case Opcode::Create: {
            ProgramState::Thread& child = state.threads[at(done.object)];
            child.phase = Phase::Start;
            child.parent = static_cast<std::uint8_t>(thread);
            frame.children = static_cast<std::uint8_t>(frame.children + 1);
            child.nth = frame.children;
            break;
        }
        case Opcode::Read:
            result = state.variables[at(done.object)];
            break;
        case Opcode::Write:
            state.variables[at(done.object)] = done.value;
            break;
        case Opcode::WriteRegister:
            state.variables[at(done.object)] = frame.registers[at(done.reg)] + done.value;
            result = frame.registers[at(done.reg)];
            break;
        case Opcode::FetchAdd:
            result = state.variables[at(done.object)];
            state.variables[at(done.object)] += done.value;
            break;
        default:
            break;
    }
    if (done.code == Opcode::OnceEnter) {
        frame.place = static_cast<std::int16_t>(outcome.run_once_routine ? frame.place + 1 : done.target);
    } else {
        if (done.reg >= 0 && done.code != Opcode::OnceDone) {
            frame.registers[at(done.reg)] = result;
        }
        frame.place = static_cast<std::int16_t>(frame.place + 1);
    }
    frame.phase = Phase::At;
    run_local(state, thread);
    return std::nullopt;
}

void ProgramStates::run_local(ProgramState& state, int thread) const {
    ProgramState::Thread& frame = state.threads[at(thread)];
    while (at(frame.place) < code(thread).size()) {
        const Instruction& next = instruction(state, thread);
        const OpcodeTraits& row = traits(next.code);
        int place = frame.place + 1;
        if (row.visible) {
            const bool is_create = next.code == Opcode::Create;
            if (row.operand != Operand::Thread || is_create ||
                state.threads[at(next.object)].phase != Phase::Unborn) {
                return;
            }
            if (next.reg >= 0) {  // of a thread that was never created
                frame.registers[at(next.reg)] = ESRCH;
            }
        } else {
            std::int32_t unused = 0;
            std::int32_t& reg = next.reg >= 0 ? frame.registers[at(next.reg)] : unused;
            switch (next.code) {
                case Opcode::Set:
                    reg = next.value;
                    break;
                case Opcode::Add:
                    reg += next.value;
                    break;
                case Opcode::Jump:
                    place = next.target;
                    break;
                case Opcode::JumpIfEqual:
                    place = reg == next.value ? next.target : place;
                    break;
                case Opcode::JumpIfNotEqual:
                    place = reg != next.value ? next.target : place;
                    break;
                case Opcode::AssertEqual:
                case Opcode::AssertNotEqual:
                    if ((reg == next.value) != (next.code == Opcode::AssertEqual)) {
                        frame.phase = Phase::Failing;
                        return;
                    }
                    break;
                default:
                    break;  // trusted or not is the same here
            }
        }
        frame.place = static_cast<std::int16_t>(place);
    }
    frame.phase = Phase::Exit;
}

/// Out of the innermost once routine around the place, or to the end of the thread.
void ProgramStates::unwind(ProgramState& state, int thread) const {
    ProgramState::Thread& frame = state.threads[at(thread)];
    for (int place = frame.place - 1; place >= 0; --place) {
        const Instruction& enter = code(thread)[at(place)];
        if (enter.code == Opcode::OnceEnter && enter.target > frame.place) {
            frame.place = static_cast<std::int16_t>(place);
            frame.phase = Phase::Aborting;
            return;
        }
    }
    frame.place = static_cast<std::int16_t>(code(thread).size());
    frame.phase = Phase::Exit;
}

std::optional<Ending> ProgramStates::all_ended(const ProgramState& state) const {
    std::vector<std::pair<std::string, std::int64_t>> variables;
    for (std::size_t index = 0; index < program_.variables.size(); ++index) {
        variables.emplace_back(object_name(Operand::Variable, static_cast<int>(index)),
                               state.variables[index]);
    }
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> threads;
    for (int thread = 0; thread < static_cast<int>(program_.threads.size()); ++thread) {
        if (live(state, thread)) {
            return std::nullopt;
        }
        const ProgramState::Thread& frame = state.threads[at(thread)];
        if (frame.phase == Phase::Gone) {
            threads.emplace_back(thread_name(state, thread),
                                 std::vector<std::int64_t>(frame.registers.begin(), frame.registers.end()));
        }
    }
    return Ending{&Outcomes::final_states, describe_state(std::move(variables), std::move(threads))};
}

}  // namespace coopcheck::testing
