// What the runtime libraries do for themselves while the program is watched: hundreds of accesses that are
// nobody's business, to pages that they share with the program. Such a page stays open until they are done.
#include <pthread.h>

#include <utility>

#include "tracer/run.hpp"

namespace coopcheck::tracer {

namespace {

// The first call of a function of another library goes through the dynamic linker, which looks it up (lazy
// binding).

/// Where the code that begins at `entry` jumps to the function that was found; null_address if it does not
/// look like what we know (a linker that keeps a profile, or is told by an auditor).
RemoteAddress exit_of_binding(RemoteAddress entry, Instructions& instructions, const TargetMemory& memory) {
    constexpr int most_instructions = 100;
    RemoteAddress place = entry;
    int calls = 0;
    for (int nth = 0; nth < most_instructions; ++nth) {
        const auto instruction = instructions.at(place, memory);
        if (!instruction) return null_address;
        const std::string text = instruction->text();
        if (text.ends_with("jmp r11")) return calls == 1 ? place : null_address;
        if (text.starts_with("call ")) {
            calls += 1;
        } else if (instruction->is_branch()) {
            return null_address;
        }
        place = place + instruction->length();
    }
    return null_address;
}

}  // namespace

void Run::install_binding_points() {
    const Modules& modules = state_.loaded->modules;
    for (const Module& module : modules.all()) {
        const auto table = module.file->call_table();
        if (!table) continue;
        // The linker puts its entry into the third place.
        const auto entry =
            memory_.read_value<RemoteAddress>(module.base + *table + 2 * sizeof(std::uint64_t));
        if (!entry || entry.value() == null_address || !modules.is_runtime_code(entry.value())) continue;
        if (state_.loaded->breakpoints.find(entry.value()) != nullptr) return;
        const RemoteAddress exit = exit_of_binding(entry.value(), session_->instructions, memory_);
        if (exit == null_address) continue;
        auto loaded = std::make_shared<Loaded>(*state_.loaded);
        loaded->breakpoints.install(memory_, entry.value(), bind_hook());
        loaded->breakpoints.install(memory_, exit, bound_hook());
        state_.loaded = std::move(loaded);
        return;
    }
}

Run::Next Run::leave_binding(VirtualThread& thread) {
    thread.binding = false;
    thread.registers.rip = thread.registers.r11;
    if (state_.watching) close_for(thread.id);
    return Next::ResumeChanged;
}

void Run::begin_creation(VirtualThread& thread) {
    if (!state_.watching || state_.plan->unshared_too || session_->watch.creates_in_vain) return;
    const user_regs_struct& registers = thread.registers;
    note_buffer(thread, registers.rdi, sizeof(pthread_t), true);
    if (registers.rsi != 0) note_buffer(thread, registers.rsi, sizeof(pthread_attr_t), false);
    thread.creating = true;
}

void Run::end_creation(VirtualThread& thread) {
    if (!std::exchange(thread.creating, false)) return;
    if (state_.watching) close_for(thread.id);
}

void Run::end_creation_in_vain(VirtualThread& thread) {
    // Where it returned nobody noticed: the pages it had opened stayed open for the program.
    if (!std::exchange(thread.creating, false)) return;
    session_->watch.creates_in_vain = true;
    watched_too_late_ = true;
}

}  // namespace coopcheck::tracer
