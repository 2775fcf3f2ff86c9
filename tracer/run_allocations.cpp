// malloc and its relatives, in runs that are watched: the same address can be another object
// later, and what the allocator itself does to memory is no access of the program.
#include <algorithm>
#include <array>

#include "tracer/must.hpp"
#include "tracer/run.hpp"
#include "tracer/scratch.hpp"

namespace coopcheck::tracer {

void Run::install_allocator_hooks() {
    if (!state_.plan) return;
    // Also where only some bytes are visible: what malloc does to them is no operation in any run. It has
    // nothing to do with variables that have a place of their own.
    const Modules& modules = state_.loaded->modules;
    const auto& visible = state_.plan->visible;
    if (!state_.plan->closes_pages() && std::all_of(visible.begin(), visible.end(), [&](std::uint64_t byte) {
            return modules.find(RemoteAddress{byte}) != nullptr;
        })) {
        return;
    }
    auto loaded = std::make_shared<Loaded>(*state_.loaded);
    for (const Module& module : loaded->modules.all()) {
        // The dynamic linker has a malloc of its own, which it uses before it finds that of libc.
        if (module.name().starts_with("ld-linux")) continue;
        for (const Hook& hook : allocator_hooks()) {
            if (const auto address = module.file->function(hook.name))
                loaded->breakpoints.install(memory_, module.base + *address, hook);
        }
    }
    state_.loaded = std::move(loaded);
    constexpr std::byte int3{0xcc};
    must(memory_.write(scratch::return_trap, std::span(&int3, 1)));
}

void Run::note_free(const VirtualThread& thread, std::uint64_t address, std::uint64_t site) {
    const auto known = state_.allocations.find(address);
    if (known == state_.allocations.end()) return;
    if (touches_first() && !known->second.is_runtimes) {
        for (std::uint64_t page = page_of(address); page < address + known->second.size; page += memory_page)
            touch_page(thread, page, true);
    } else if (state_.watching && state_.plan->everything && !known->second.is_runtimes) {
        Access access{Location::memory(address), true};
        access.site = site;
        access.size = static_cast<std::uint32_t>(known->second.size);
        access.freed = true;
        access.stack = call_stack(thread);
        accesses_.push_back(std::move(access));
    }
    state_.allocations.erase(known);
}

Run::Next Run::on_allocator_call(VirtualThread& thread, RemoteAddress function,
                                 const Breakpoint& breakpoint) {
    const user_regs_struct& registers = thread.registers;
    const auto return_address = memory_.read_value<std::uint64_t>(RemoteAddress{registers.rsp});
    // One of them may call another one.
    if (thread.allocator_call || !return_address) return enter_native(thread, function, breakpoint);
    AllocatorCall call;
    call.hook = breakpoint.hook;
    call.return_address = RemoteAddress{return_address.value()};
    call.first = registers.rdi;
    call.second = registers.rsi;
    call.third = registers.rdx;
    call.site = site_of_caller(thread, call.return_address);
    const std::string_view name = call.hook->name;
    if (name == "free" || name == "cfree") {
        note_free(thread, call.first, call.site);
    } else if (name == "realloc" || name == "reallocarray") {
        note_free(thread, call.first, call.site);
    }
    if (memory_.write_value(RemoteAddress{registers.rsp}, number(scratch::return_trap)))
        return enter_native(thread, function, breakpoint);
    thread.allocator_call = call;
    return enter_native(thread, function, breakpoint);
}

Run::Next Run::on_allocator_return(VirtualThread& thread) {
    const AllocatorCall call = *std::exchange(thread.allocator_call, std::nullopt);
    thread.registers.rip = number(call.return_address);
    std::uint64_t address = thread.registers.rax;
    std::uint64_t size = call.first;
    const std::string_view name = call.hook->name;
    if (name == "calloc") size = call.first * call.second;
    if (name == "realloc" || name == "memalign" || name == "aligned_alloc") size = call.second;
    if (name == "reallocarray") size = call.second * call.third;
    if (name == "posix_memalign") {
        const auto stored = memory_.read_value<std::uint64_t>(RemoteAddress{call.first});
        address = thread.registers.rax == 0 && stored ? stored.value() : 0;
        size = call.third;
    }
    const bool allocates = name != "free" && name != "cfree";
    if (allocates && address != 0) {
        const Module* caller = state_.loaded->modules.find(call.return_address);
        thread.allocations += 1;
        Allocation allocation{
            .size = size, .thread = thread.id, .nth = thread.allocations, .site = call.site};
        allocation.is_runtimes =
            caller != nullptr && caller->is_runtime && !caller->name().starts_with("libstdc++.so");
        state_.allocations[address] = allocation;
        note_fresh(address, size);
    }
    if (state_.watching) close_for(thread.id);
    return Next::ResumeChanged;
}

}  // namespace coopcheck::tracer
