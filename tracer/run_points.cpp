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
    if (auto operation = visible_access(thread, *state_.loaded->access_points.at(number(address))))
        return park(thread, *operation, {.at = Parking::At::Access});
    return pass_access_point(thread, address, breakpoint);
}

Run::Next Run::pass_access_point(VirtualThread& thread, RemoteAddress address, const Breakpoint& breakpoint) {
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
