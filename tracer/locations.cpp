#include "tracer/locations.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "tracer/scratch.hpp"

namespace coopcheck::tracer {

namespace {

constexpr std::string_view in_main_stack = "T0/stack-";
constexpr std::string_view in_range = "/heap+";
constexpr std::string_view in_heap = "heap+";

std::string hexadecimal(std::uint64_t value) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
    return text.data();
}

std::optional<std::uint64_t> number_in(std::string_view text) {
    if (!text.starts_with("0x")) return std::nullopt;
    text.remove_prefix(2);
    std::uint64_t value = 0;
    constexpr int base = 16;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// The thread with this name, which need not have been created yet: a name decides where its memory will be.
std::optional<ThreadId> thread_named(std::string_view text, ThreadNames& names) {
    constexpr std::string_view main = "T0";
    constexpr std::size_t most_threads = 4096;
    if (!text.starts_with(main)) return std::nullopt;
    ThreadId thread = main_thread;
    for (text.remove_prefix(main.size()); !text.empty();) {
        unsigned nth = 0;
        const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), nth);
        if (text.front() != '.' || error != std::errc{} || nth == 0 || names.size() > most_threads)
            return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        thread = names.child(thread, nth);
    }
    return thread;
}

/// The heap made with brk follows the program, because addresses are not randomized.
std::uint64_t heap_of(const RunState& state) {
    const Module& program = state.loaded->modules.all().front();
    return page_of(number(program.base + program.file->end()) + memory_page - 1);
}

}  // namespace

std::string name_of_byte(RemoteAddress address, const RunState& state, const ThreadNames& names) {
    if (std::string variable = state.loaded->modules.variable_name(address); !variable.empty())
        return variable;
    const VirtualThread& main = state.threads.front();
    if (address >= main.stack_low && address < main.stack_high)
        return std::string(in_main_stack) + hexadecimal(main.stack_high - address);
    if (address >= scratch::thread_ranges) {
        const std::uint64_t inside = address - scratch::thread_ranges;
        const std::uint64_t range = inside / scratch::thread_range_size;
        if (range < names.size()) {
            return names.name(ThreadId{static_cast<std::uint32_t>(range)}) + std::string(in_range) +
                   hexadecimal(inside % scratch::thread_range_size);
        }
    }
    const std::uint64_t heap = heap_of(state);
    if (number(address) >= heap && number(address) - heap < scratch::thread_range_size)
        return std::string(in_heap) + hexadecimal(number(address) - heap);
    return hexadecimal(number(address));
}

std::optional<RemoteAddress> byte_named(const std::string& name, const RunState& state, ThreadNames& names) {
    const std::string_view text = name;
    if (const auto address = number_in(text)) return RemoteAddress{*address};
    if (text.starts_with(in_heap)) {
        const auto offset = number_in(text.substr(in_heap.size()));
        return offset ? std::optional{RemoteAddress{heap_of(state) + *offset}} : std::nullopt;
    }
    if (text.starts_with(in_main_stack)) {
        const auto distance = number_in(text.substr(in_main_stack.size()));
        if (!distance) return std::nullopt;
        return RemoteAddress{number(state.threads.front().stack_high) - *distance};
    }
    if (const auto split = text.find(in_range); split != std::string_view::npos) {
        const auto offset = number_in(text.substr(split + in_range.size()));
        const auto thread = offset ? thread_named(text.substr(0, split), names) : std::nullopt;
        if (!thread) return std::nullopt;
        return scratch::thread_ranges + (thread->index() * scratch::thread_range_size + *offset);
    }
    // A variable, or a place in a file, and an offset.
    const auto plus = text.rfind("+0x");
    const std::uint64_t offset =
        plus == std::string_view::npos ? 0 : number_in(text.substr(plus + 1)).value_or(0);
    const std::string_view variable = text.substr(0, plus);
    for (const Module& module : state.loaded->modules.all()) {
        for (const SymbolFile::Symbol& symbol : module.file->variables()) {
            const RemoteAddress address = module.base + symbol.address;
            if (state.loaded->modules.variable_name(address) == variable) return address + offset;
        }
        if (module.name() == variable) return module.base + offset;
    }
    return std::nullopt;
}

}  // namespace coopcheck::tracer
