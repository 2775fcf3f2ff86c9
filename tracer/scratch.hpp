#pragma once

#include <cstdint>

#include "tracer/target_types.hpp"

/// Where we put things of our own into the target's address space. The places are fixed so that the filter,
/// which is made before the program exists, can know them, and so that they never change the program's own
/// layout. AddressSanitizer's shadow ends at 0x10007fff8000, its heap starts at 0x600000000000; mmap goes
/// down from 0x7ffff7fff000 and a position independent program sits at 0x555555554000.
namespace coopcheck::tracer::scratch {

inline constexpr RemoteAddress page{0x1fff'0000'0000};
inline constexpr std::uint64_t page_size = 4096;
inline constexpr std::uint64_t size = 3 * page_size;

/// `syscall; int3`: a system call of ours starts here and the target stops after it.
inline constexpr RemoteAddress system_call = page;
/// The instruction pointer that a filter sees for it.
inline constexpr RemoteAddress after_system_call = page + 2;
/// An int3 to which watched functions return.
inline constexpr RemoteAddress return_trap = page + 16;

/// First instructions of functions whose entry holds a breakpoint, each followed by a jump to the second.
inline constexpr RemoteAddress trampolines = page + 64;
inline constexpr std::uint64_t trampoline_size = 32;
inline constexpr std::uint64_t trampoline_capacity = (page_size - 64) / trampoline_size;

/// For what system calls of ours point to.
inline constexpr RemoteAddress data = page + page_size;
inline constexpr RemoteAddress stack = page + (2 * page_size - 64);

/// What sem_open returns points here. Nothing is ever stored: the model has the values.
inline constexpr RemoteAddress named_semaphores = page + 2 * page_size;
inline constexpr std::uint64_t named_semaphore_size = 32;
inline constexpr std::uint64_t named_semaphore_capacity = page_size / named_semaphore_size;
[[nodiscard]] constexpr bool is_named_semaphore(RemoteAddress address) {
    return address >= named_semaphores && address < named_semaphores + page_size;
}

/// Memory that a thread maps without saying where is put into a range of its own, so that its addresses do
/// not depend on what other threads map meanwhile.
inline constexpr RemoteAddress thread_ranges{0x2000'0000'0000};
inline constexpr std::uint64_t thread_range_size = std::uint64_t{1} << 36;
inline constexpr std::uint64_t thread_range_count = 512;

}  // namespace coopcheck::tracer::scratch
