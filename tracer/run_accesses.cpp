// What the accesses that closed pages show mean: whose they are, which of them are operations.
#include <sys/syscall.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "tracer/run.hpp"
#include "tracer/scratch.hpp"
#include "tracer/system_call_buffers.hpp"

namespace coopcheck::tracer {

namespace {

/// How many bytes glibc's objects have.
std::uint64_t size_of_object(ObjectClass object_class) {
    switch (object_class) {
        case ObjectClass::Mutex:
            return 40;
        case ObjectClass::Condition:
            return 48;
        case ObjectClass::RwLock:
            return 56;
        case ObjectClass::Semaphore:
        case ObjectClass::Barrier:
            return 32;
        default:
            return 4;
    }
}
constexpr std::uint64_t largest_object = 56;

bool is_in_scratch(std::uint64_t address) {
    return address >= number(scratch::page) && address < number(scratch::page) + scratch::size;
}

/// Libraries whose every access is their own business.
bool is_silent_library(const Module& module) {
    const std::string name = module.name();
    return !name.starts_with("libc.so") && !name.starts_with("libstdc++.so");
}

}  // namespace

bool Run::is_scan(RemoteAddress instruction) const {
    const auto [known, is_new] = session_->watch.scans.try_emplace(number(instruction), false);
    if (!is_new) return known->second;
    // A comparison, or a load whose value is compared soon after: functions like strlen read whole vectors,
    // with bytes before and behind what they were asked about.
    constexpr int soon = 6;
    RemoteAddress next = instruction;
    for (int nth = 0; nth < soon && !known->second; ++nth) {
        const auto decoded = session_->instructions.at(next, memory_);
        if (!decoded) break;
        known->second = decoded->compares_vectors();
        next = next + decoded->length();
    }
    return known->second;
}

bool Run::counts(const VirtualThread& thread, const Instruction& instruction) const {
    if (thread.allocator_call) return false;
    const RemoteAddress here{thread.registers.rip};
    if (is_in_scratch(number(here))) return false;
    const Module* module = state_.loaded->modules.find(here);
    if (module == nullptr) return true;  // code that the program has made
    if (!module->is_runtime) {
        const bool is_static = state_.loaded->modules.all().size() == 1;
        return !is_static || session_->source_lines.is_programs_own(here + 1, state_.loaded->modules) ||
               is_called_by_program(thread);
    }
    return !is_silent_library(*module) && !instruction.is_atomic();
}

bool Run::is_called_by_program(const VirtualThread& thread) const {
    const Module& program = state_.loaded->modules.all().front();
    const SymbolFile::Symbol* symbol =
        program.file->function_at(RemoteAddress{thread.registers.rip} - program.base);
    if (symbol == nullptr) return false;
    std::string_view name = symbol->name;
    name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
    constexpr std::array beginnings{"mem", "str", "stp", "wmem", "wcs", "rawmem"};
    if (std::none_of(beginnings.begin(), beginnings.end(),
                     [&](const char* beginning) { return name.starts_with(beginning); })) {
        return false;
    }
    // They call nobody and leave the stack alone.
    const auto caller = memory_.read_value<RemoteAddress>(RemoteAddress{thread.registers.rsp});
    return caller && session_->source_lines.is_programs_own(caller.value(), state_.loaded->modules);
}

std::vector<MemoryTouch> Run::asked_part(const VirtualThread& thread,
                                         std::span<const MemoryTouch> touches) const {
    std::vector<MemoryTouch> parts;
    for (const MemoryTouch& touch : touches) {
        // Such functions have what they look through in these registers, and move on with them. What they
        // were asked about begins there; where it ends cannot be told.
        for (const std::uint64_t begin : {thread.registers.rdi, thread.registers.rsi}) {
            if (begin >= number(touch.address) && begin < number(touch.address) + touch.size) {
                parts.push_back({RemoteAddress{begin}, 1, true, false});
                break;
            }
        }
    }
    return parts;
}

std::vector<MemoryTouch> Run::counted_touches(const VirtualThread& thread,
                                              const Instruction& instruction) const {
    if (!counts(thread, instruction)) return {};
    std::vector<MemoryTouch> touches = instruction.touches(thread.registers);
    constexpr std::uint64_t vector = 16;
    const bool reads_vector = std::any_of(touches.begin(), touches.end(), [](const MemoryTouch& touch) {
        return touch.reads && !touch.writes && touch.size >= vector;
    });
    const RemoteAddress here{thread.registers.rip};
    const bool is_library = state_.loaded->modules.is_runtime_code(here) ||
                            (state_.loaded->modules.all().size() == 1 &&
                             !session_->source_lines.is_programs_own(here + 1, state_.loaded->modules));
    if (is_library && reads_vector && !instruction.repeats() && is_scan(here))
        touches = asked_part(thread, touches);
    std::erase_if(touches, [&](const MemoryTouch& touch) { return !counts(thread, touch); });
    return touches;
}

const Allocation* Run::allocation_at(std::uint64_t address) const {
    const auto next = state_.allocations.upper_bound(address);
    if (next == state_.allocations.begin()) return nullptr;
    const auto& [start, allocation] = *std::prev(next);
    return address < start + allocation.size ? &allocation : nullptr;
}

bool Run::counts(const VirtualThread& thread, const MemoryTouch& touch) const {
    const std::uint64_t address = number(touch.address);
    const WatchedRegion* region = state_.watched.find(address);
    if (region == nullptr) region = state_.watched.find(address + touch.size - 1);
    if (region == nullptr && state_.plan->closes_pages()) return false;
    if (state_.loaded->modules.is_runtime_data(touch.address)) return false;
    if (!state_.loaded->modules.is_runtime_code(RemoteAddress{thread.registers.rip})) return true;
    // The C library works on what the program has given it, and on what is its own.
    if (region != nullptr && region->owner.valid() && region->owner != thread.id) return false;
    if (state_.loaded->modules.find(touch.address) == nullptr) {
        const Allocation* allocation = allocation_at(address);
        const bool is_on_stack =
            address + memory_page >= thread.registers.rsp && address < number(thread.stack_high);
        if (!is_on_stack && (allocation == nullptr || allocation->is_runtimes)) return false;
    }
    for (std::uint64_t back = 0; back < largest_object && back <= address; ++back) {
        for (int nth = 1; nth <= static_cast<int>(ObjectClass::Futex); ++nth) {
            const auto object_class = static_cast<ObjectClass>(nth);
            if (back < size_of_object(object_class) &&
                state_.objects.contains(object_key(RemoteAddress{address - back}, object_class))) {
                return false;
            }
        }
    }
    return true;
}

bool Run::is_atomic(RemoteAddress place, const Instruction& instruction, const MemoryTouch& touch) {
    WatchKnowledge& known = session_->watch;
    const std::uint64_t address = number(touch.address);
    if (instruction.is_atomic()) {
        for (std::uint64_t byte = 0; byte < touch.size; ++byte) {
            // It was taken for ordinary memory before.
            if (known.atomic_bytes.insert(address + byte).second) watched_too_late_ = true;
        }
        return true;
    }
    // Not what was learnt since the run began: an operation must be the same whenever it is come to.
    return state_.plan->atomic_bytes->contains(address) ||
           session_->source_lines.is_atomic_code(place, state_.loaded->modules);
}

void Run::note_escape(const VirtualThread& thread, const MemoryTouch& touch) {
    for (std::uint64_t page = page_of(number(touch.address)); page < number(touch.address) + touch.size;
         page += memory_page) {
        const WatchedRegion* region = state_.watched.find(page);
        if (region == nullptr || !region->owner.valid() || region->owner == thread.id) continue;
        // What the owner did to it before was not seen.
        if (session_->watch.shared_pages.insert(page).second) watched_too_late_ = true;
    }
}

std::shared_ptr<const CallStack> Run::call_stack(const VirtualThread& thread) const {
    constexpr std::size_t most_frames = 24;
    auto stack = std::make_shared<CallStack>();
    const user_regs_struct& registers = thread.registers;
    std::optional<StackFrame> frame =
        StackFrame{RemoteAddress{registers.rip + 1}, registers.rsp, registers.rbp};
    StackMemory memory(memory_, registers.rsp);
    while (frame && stack->size() < most_frames) {
        stack->push_back(number(frame->next));
        frame = session_->unwinder.caller(*frame, state_.loaded->modules, memory);
    }
    return stack;
}

std::vector<Access> Run::begin_accesses(VirtualThread& thread, const Instruction& instruction,
                                        std::uint64_t /*fault*/) {
    std::vector<Access> accesses;
    if (!state_.plan->everything) return accesses;
    const std::vector<MemoryTouch> touches = counted_touches(thread, instruction);
    if (touches.empty()) return accesses;
    const std::uint64_t site = site_of_instruction(thread);
    for (const MemoryTouch& touch : touches) {
        note_escape(thread, touch);
        session_->watch.note_accessor(thread.registers.rip, number(touch.address), touch.size);
        Access access{Location::memory(number(touch.address)), touch.writes};
        access.atomic = is_atomic(RemoteAddress{thread.registers.rip}, instruction, touch);
        access.site = site;
        access.size = static_cast<std::uint32_t>(touch.size);
        access.also_read = touch.reads && touch.writes;
        const auto shown = std::min<std::size_t>(touch.size, sizeof access.before);
        static_cast<void>(
            memory_.read(touch.address, std::as_writable_bytes(std::span(&access.before, 1)).first(shown)));
        access.stack = call_stack(thread);
        accesses.push_back(std::move(access));
    }
    return accesses;
}

void Run::end_accesses(VirtualThread& thread, const Instruction& instruction, const user_regs_struct& before,
                       std::vector<Access> accesses) {
    if (accesses.empty()) return;
    const std::vector<MemoryTouch> touched = instruction.touched(before, thread.registers);
    for (Access& access : accesses) {
        if (instruction.repeats()) {
            const auto same = std::find_if(touched.begin(), touched.end(), [&](const MemoryTouch& touch) {
                return touch.writes == access.write && access.location.value() <= number(touch.address) &&
                       number(touch.address) < access.location.value() + access.size;
            });
            if (same == touched.end()) continue;
            access.location = Location::memory(number(same->address));
            access.size = static_cast<std::uint32_t>(same->size);
        }
        access.after = access.before;
        const auto shown = std::min<std::size_t>(access.size, sizeof access.after);
        if (access.write) {
            static_cast<void>(memory_.read(RemoteAddress{access.location.value()},
                                           std::as_writable_bytes(std::span(&access.after, 1)).first(shown)));
        }
        const auto once =
            state_.objects.find(object_key(RemoteAddress{access.location.value()}, ObjectClass::Once));
        if (once != state_.objects.end()) access.once = once->second;
        const bool was_operation =
            state_.plan->is_visible(RemoteAddress{access.location.value()}, access.size) &&
            state_.plan->is_point(before.rip);
        if (was_operation && access.atomic) continue;
        if (!was_operation) look_for_endless_loop(thread, access);
        accesses_.push_back(std::move(access));
    }
}

std::uint64_t Run::hash_of_surroundings(const VirtualThread& thread, const MemoryTouch& touch) const {
    const user_regs_struct& registers = thread.registers;
    std::uint64_t hash = 0;
    const auto add = [&](std::span<const std::byte> bytes) {
        const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        hash = hash * 31 + std::hash<std::string_view>{}(text);
    };
    user_regs_struct relevant = registers;
    relevant.orig_rax = 0;
    // Set by some of the ways in which a thread can have been stopped.
    constexpr std::uint64_t resume_flag = 0x10000;
    relevant.eflags &= ~resume_flag;
    add(std::as_bytes(std::span(&relevant, 1)));
    // Variables of a loop that are not in registers are near the top of the stack.
    std::array<std::byte, 512> window{};
    constexpr std::uint64_t below = 128;
    const std::uint64_t top = registers.rsp - below;
    const std::size_t size = std::min<std::size_t>(window.size(), 2 * memory_page - top % memory_page);
    if (!memory_.read(RemoteAddress{top}, std::span(window).first(size))) add(std::span(window).first(size));
    const auto shown = std::min<std::size_t>(touch.size, window.size());
    if (!memory_.read(touch.address, std::span(window).first(shown))) add(std::span(window).first(shown));
    return hash;
}

void Run::look_for_endless_loop(const VirtualThread& thread, const Access& access) {
    constexpr unsigned suspicious = 20;
    constexpr unsigned endless = 60;
    Turns& turns = turns_[access.site * 31 + access.location.value()];
    const MemoryTouch touch{RemoteAddress{access.location.value()}, access.size, true, access.write};
    const bool same = std::memcmp(&turns.registers, &thread.registers, sizeof turns.registers) == 0;
    const std::uint64_t surroundings =
        same && turns.count >= suspicious ? hash_of_surroundings(thread, touch) : 0;
    const bool unchanged = same && (turns.count <= suspicious || surroundings == turns.surroundings);
    turns.count = unchanged ? turns.count + 1 : 0;
    turns.registers = thread.registers;
    turns.surroundings = surroundings;
    if (turns.count < endless) return;
    // It waits for somebody to change what it reads, and nobody runs.
    for (std::uint64_t byte = 0; byte < access.size; ++byte)
        session_->watch.awaited.insert(access.location.value() + byte);
    throw Refined();
}

std::optional<Operation> Run::visible_access(VirtualThread& thread, const Instruction& instruction) {
    const auto is_visible = [&](const MemoryTouch& touch) {
        return state_.plan->is_visible(touch.address, touch.size);
    };
    // The quick question first: most stops are about other memory.
    const std::vector<MemoryTouch> all = instruction.touches(thread.registers);
    if (std::none_of(all.begin(), all.end(), is_visible)) return std::nullopt;
    // The thread exists when this step is over, or not: there is nothing in between.
    if (thread.is_in_pthread_create() &&
        state_.loaded->modules.is_runtime_code(RemoteAddress{thread.registers.rip})) {
        return std::nullopt;
    }
    std::optional<Operation> operation;
    for (const MemoryTouch& touch : counted_touches(thread, instruction)) {
        if (!is_visible(touch)) continue;
        if (operation) {
            // Two of them at once (movs): nothing is independent of that.
            operation->kind = OpKind::ReadWrite;
            operation->location = Location::world();
            continue;
        }
        note_escape(thread, touch);
        operation.emplace();
        operation->kind = !touch.writes ? OpKind::Read : touch.reads ? OpKind::ReadWrite : OpKind::Write;
        operation->atomic = is_atomic(RemoteAddress{thread.registers.rip}, instruction, touch);
        operation->location = Location::memory(number(touch.address));
        operation->size = static_cast<std::uint32_t>(touch.size);
        operation->site = site_of_instruction(thread);
        operation->value = looks_again(thread, touch) ? 1 : 0;
    }
    return operation;
}

bool Run::looks_again(VirtualThread& thread, const MemoryTouch& touch) const {
    const std::uint64_t now = hash_of_surroundings(thread, touch);
    std::vector<std::uint64_t>& before = thread.looked[thread.registers.rip];
    const bool again = std::find(before.begin(), before.end(), now) != before.end();
    // A loop may come here several times in a turn, by a function that looks for it.
    constexpr std::size_t most_remembered = 8;
    if (!again) before.push_back(now);
    if (before.size() > most_remembered) before.erase(before.begin());
    if (again || touch.writes || !session_->watch.polled.contains(number(touch.address))) return again;
    std::uint64_t content = 0;
    const auto shown = std::min<std::size_t>(touch.size, sizeof content);
    static_cast<void>(
        memory_.read(touch.address, std::as_writable_bytes(std::span(&content, 1)).first(shown)));
    VirtualThread::Polling& polling = thread.polling;
    const bool same = polling.instruction == thread.registers.rip && polling.content == content;
    polling = {thread.registers.rip, content, same ? polling.times + 1 : 0};
    constexpr unsigned suspicious = 2;
    return polling.times >= suspicious;
}

void Run::miss_point(const VirtualThread& thread, const Instruction& instruction) {
    const std::uint64_t place = thread.registers.rip;
    if (state_.loaded->modules.find(RemoteAddress{place}) == nullptr) {
        // Code that the program has made may be other code in the next moment.
        session_->watch.out_of_reach.insert(place);
        return;
    }
    if (session_->watch.out_of_reach.contains(place)) return;
    for (const MemoryTouch& touch : instruction.touches(thread.registers)) {
        if (state_.plan->is_visible(touch.address, touch.size))
            session_->watch.note_accessor(place, number(touch.address), touch.size);
    }
    session_->watch.missed_point = true;
}

void Run::note_buffer(const VirtualThread& thread, std::uint64_t address, std::uint64_t size, bool write) {
    if (size == 0 || state_.watched.find(address) == nullptr) return;
    if (state_.plan->is_visible(RemoteAddress{address}, size)) session_->watch.visible_in_system_call = true;
    if (!state_.plan->everything) return;
    const MemoryTouch touch{RemoteAddress{address}, size, !write, write};
    if (state_.plan->first_touch) {
        for (std::uint64_t page = page_of(address); page < address + size; page += memory_page)
            touch_page(thread, page, write);
        return;
    }
    if (!counts(thread, touch)) return;
    note_escape(thread, touch);
    Access access{Location::memory(address), write};
    access.site = site_of_instruction(thread);
    access.size = static_cast<std::uint32_t>(size);
    access.stack = call_stack(thread);
    accesses_.push_back(std::move(access));
}

void Run::note_system_call(const VirtualThread& thread, long call, std::int64_t result) {
    const user_regs_struct& registers = thread.registers;
    if (call == SYS_mmap && result > 0) note_fresh(static_cast<std::uint64_t>(result), registers.rsi);
    for (const MemoryTouch& touch : buffers_of(registers, call, result, memory_))
        note_buffer(thread, number(touch.address), touch.size, touch.writes);
}

void Run::note_fresh(std::uint64_t address, std::uint64_t size) {
    if (!state_.plan || !state_.plan->everything || !(state_.watching || state_.alone)) return;
    Access access{Location::memory(address)};
    access.size = static_cast<std::uint32_t>(std::min<std::uint64_t>(size, ~std::uint32_t{0}));
    access.fresh = true;
    accesses_.push_back(std::move(access));
}

}  // namespace coopcheck::tracer
