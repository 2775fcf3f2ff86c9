// Breakpoints on the instructions that are known to access visible memory: a schedule that is explored pays
// for these alone.
#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <utility>

#include "tracer/must.hpp"
#include "tracer/run.hpp"

namespace coopcheck::tracer {

namespace {

/// For so many bytes of copied instructions in each part of the address space.
constexpr std::uint64_t room_size = 16 * memory_page;
/// A thread that passes so many points in a step is looked at.
constexpr std::size_t most_passes = 20'000;

/// Below the program nothing grows, and above the libraries nothing is mapped: room taken there changes no
/// address of the program.
std::vector<std::uint64_t> places_for_rooms(const std::vector<MemoryMap>& maps, const Module& program,
                                            RemoteAddress stack) {
    std::uint64_t highest = 0;
    for (const MemoryMap& map : maps) {
        if (map.path != "[stack]" && map.end < number(stack)) highest = std::max(highest, map.end);
    }
    return {page_of(number(program.base + program.file->begin())) - room_size, highest};
}

}  // namespace

void Run::make_rooms(Breakpoints& breakpoints) {
    const VirtualThread& main = state_.threads.front();
    for (const std::uint64_t place : places_for_rooms(
             memory_maps(process_.id()), state_.loaded->modules.all().front(), main.stack_high)) {
        const std::int64_t result =
            call_in_target({SYS_mmap, place, room_size, PROT_READ | PROT_EXEC,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, ~0ULL, 0});
        // Without room instructions are stepped over, which only takes longer.
        if (result == static_cast<std::int64_t>(place)) breakpoints.add_room(RemoteAddress{place}, room_size);
    }
}

void Run::widen_points() {
    if (!state_.plan->by_points || state_.plan->points.empty()) return;
    constexpr std::size_t largest_function = 1U << 16U;
    auto plan = std::make_shared<WatchPlan>(*state_.plan);
    std::set<std::uint64_t> functions;
    for (const std::uint64_t point : state_.plan->points) {
        const Module* module = state_.loaded->modules.find(RemoteAddress{point});
        if (module == nullptr || module->is_runtime) continue;
        const SymbolFile::Symbol* function = module->file->function_at(RemoteAddress{point} - module->base);
        if (function == nullptr || function->size > largest_function) continue;
        const RemoteAddress start = module->base + function->address;
        if (!functions.insert(number(start)).second) continue;
        std::vector<std::byte> code(function->size);
        if (memory_.read(start, code)) continue;
        for (std::size_t at = 0; at < code.size(); ++at) {
            if (const Breakpoint* breakpoint = state_.loaded->breakpoints.find(start + at))
                code[at] = breakpoint->original;
        }
        for (const std::uint64_t place : similar_instructions(code, number(start), state_.plan->points)) {
            if (!session_->watch.out_of_reach.contains(place)) plan->points.insert(place);
        }
    }
    state_.plan = std::move(plan);
}

void Run::install_access_points() {
    if (!state_.at_access_points) return;
    auto loaded = std::make_shared<Loaded>(*state_.loaded);
    if (!loaded->breakpoints.has_room()) make_rooms(loaded->breakpoints);
    for (const std::uint64_t place : state_.plan->points) {
        const RemoteAddress address{place};
        if (loaded->access_points.contains(place) || loaded->modules.find(address) == nullptr) continue;
        if (const Breakpoint* other = loaded->breakpoints.find(address)) {
            // Where a loop waits for visible memory the access itself is the operation.
            if (other->hook->use != CallUse::SpinPoint) {
                session_->watch.out_of_reach.insert(place);
                throw Refined();
            }
            loaded->breakpoints.remove(memory_, address);
        }
        auto instruction = session_->instructions.at(address, memory_);
        if (!instruction) continue;
        loaded->breakpoints.install(memory_, address, access_point_hook());
        loaded->access_points.emplace(place, std::move(instruction));
    }
    state_.loaded = std::move(loaded);
}

Run::Next Run::on_access_point(VirtualThread& thread, RemoteAddress address, const Breakpoint& breakpoint) {
    thread.registers.rip = number(address);
    if (state_.alone) {
        if (session_->spin_points.contains(address)) return on_spin_point(thread, address, breakpoint);
        return pass_access_point(thread, address, breakpoint);
    }
    if (auto operation = visible_access(thread, *state_.loaded->access_points.at(number(address))))
        return park(thread, *operation, {.at = Parking::At::Access});
    faults_in_step_ += 1;
    if (faults_in_step_ > most_passes) {
        faults_in_step_ = 0;
        return examine_passes(thread);
    }
    return pass_access_point(thread, address, breakpoint);
}

void Run::remove_access_points() {
    auto loaded = std::make_shared<Loaded>(*state_.loaded);
    for (const auto& [place, instruction] : loaded->access_points)
        loaded->breakpoints.remove(memory_, RemoteAddress{place});
    loaded->access_points.clear();
    state_.loaded = std::move(loaded);
}

Run::Next Run::examine_passes(VirtualThread& thread) {
    const std::shared_ptr<const Loaded> before = state_.loaded;
    remove_access_points();
    must(ptrace::set_registers(process_.id(), thread.registers));
    const PollExamination looks = find_polled_memory(process_, memory_, [&](RemoteAddress place) {
        const auto point = before->access_points.find(number(place));
        if (point == before->access_points.end()) return before->breakpoints.find(place) != nullptr;
        const auto registers = ptrace::get_registers(process_.id());
        if (!registers) return true;
        const std::vector<MemoryTouch> touches = point->second->touches(registers.value());
        return std::any_of(touches.begin(), touches.end(), [&](const MemoryTouch& touch) {
            return state_.plan->is_visible(touch.address, touch.size);
        });
    });
    if (see_polled(thread, looks.polled)) throw Refined();
    if (looks.other_stop) {
        install_access_points();
        int deliver = 0;
        const Next next = on_stop(thread, *looks.other_stop, deliver);
        if (deliver != 0) keep_signal(thread, deliver);
        return next;
    }
    const auto registers = ptrace::get_registers(process_.id());
    must(registers.error());
    thread.registers = registers.value();
    install_access_points();
    return Next::ResumeChanged;
}

Run::Next Run::pass_access_point(VirtualThread& thread, RemoteAddress address, const Breakpoint& breakpoint) {
    if (touches_first()) touch_pages(thread, *state_.loaded->access_points.at(number(address)));
    if (breakpoint.native != null_address) return enter_native(thread, address, breakpoint);
    const bool repeats = state_.loaded->access_points.at(number(address))->repeats();
    do {
        step_over(thread, address, breakpoint);
    } while (repeats && !step_fault_ && thread.registers.rip == number(address));
    return Next::ResumeChanged;
}

Run::Next Run::leave_access_point(VirtualThread& thread) {
    const RemoteAddress address{thread.registers.rip};
    activate(thread);
    const Next next = pass_access_point(thread, address, *state_.loaded->breakpoints.find(address));
    const std::optional<int> fault = std::exchange(step_fault_, std::nullopt);
    if (!fault) return next;
    int deliver = 0;
    const Next failed = on_signal(thread, *fault, deliver);
    // A signal for the program comes again when it runs.
    if (deliver != 0) keep_signal(thread, deliver);
    return failed;
}

}  // namespace coopcheck::tracer
