#include "tracer/origin.hpp"

#include <array>
#include <cstdio>

#include "tracer/scratch.hpp"

namespace coopcheck::tracer {

namespace {

std::string hexadecimal(std::uint64_t value) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
    return text.data();
}

constexpr std::uint64_t page_size = 4096;

}  // namespace

std::string origin_of(RemoteAddress address, const RunState& state, const ThreadNames& names) {
    if (std::string variable = state.loaded->modules.variable_name(address); !variable.empty())
        return variable;
    // Stacks are reused: the newest thread that has the address is the one that uses it.
    for (auto thread = state.threads.rbegin(); thread != state.threads.rend(); ++thread) {
        const RemoteAddress self{thread->registers.fs_base};
        if (address >= thread->stack_low && address < thread->stack_high) {
            return names.name(thread->id) + "/stack-" + hexadecimal(thread->stack_high - address);
        }
        // Thread-local variables lie below the thread pointer, glibc's own data above.
        if (address + 16 * page_size >= self && address < self && address >= thread->stack_high) {
            return names.name(thread->id) + "/tls-" + hexadecimal(self - address);
        }
    }
    if (address >= scratch::thread_ranges) {
        const std::uint64_t inside = address - scratch::thread_ranges;
        const std::uint64_t range = inside / scratch::thread_range_size;
        if (range < names.size()) {
            return names.name(ThreadId{static_cast<std::uint32_t>(range)}) + "/heap+" +
                   hexadecimal(inside % scratch::thread_range_size);
        }
    }
    // The heap made with brk follows the program, because addresses are not randomized.
    const Module& program = state.loaded->modules.all().front();
    const auto heap =
        RemoteAddress{(number(program.base + program.file->end()) + page_size - 1) & ~(page_size - 1)};
    if (address >= heap && address - heap < scratch::thread_range_size) {
        return "heap+" + hexadecimal(address - heap);
    }
    return "";
}

std::string_view class_name(ObjectClass object_class) {
    switch (object_class) {
        case ObjectClass::Mutex:
            return "mutex";
        case ObjectClass::Condition:
            return "condition";
        case ObjectClass::RwLock:
            return "rwlock";
        case ObjectClass::SpinLock:
            return "spinlock";
        case ObjectClass::Semaphore:
            return "semaphore";
        case ObjectClass::Barrier:
            return "barrier";
        case ObjectClass::Once:
            return "once";
        case ObjectClass::Futex:
            return "futex";
        case ObjectClass::None:
            break;
    }
    return "object";
}

}  // namespace coopcheck::tracer
