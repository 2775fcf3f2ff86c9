#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/execution.hpp"
#include "core/sync_model.hpp"
#include "tracer/breakpoints.hpp"
#include "tracer/instruction.hpp"
#include "tracer/modules.hpp"
#include "tracer/virtual_clock.hpp"
#include "tracer/virtual_thread.hpp"
#include "tracer/virtual_timer.hpp"
#include "tracer/watched_memory.hpp"

namespace coopcheck::tracer {

/// The files in the target and the breakpoints in them. Never changed once made: copies of a target share it.
struct Loaded {
    Modules modules;
    Breakpoints breakpoints;
    /// The dynamic linker's _r_debug; null_address in a static program.
    RemoteAddress loader_list{};
    /// Instructions that may access visible memory, where they have breakpoints. Decoded before.
    std::unordered_map<std::uint64_t, std::shared_ptr<const Instruction>> access_points;
    /// Where errno is, relative to the thread pointer.
    std::optional<std::int64_t> errno_offset;
    RemoteAddress test_cancel{};
};

/// Objects of different classes at one address (a futex in something else) are different objects.
[[nodiscard]] constexpr std::uint64_t object_key(RemoteAddress address, ObjectClass object_class) {
    return number(address) | (static_cast<std::uint64_t>(object_class) << 56U);
}

[[nodiscard]] constexpr RemoteAddress address_of_key(std::uint64_t key) {
    return RemoteAddress{key & ((std::uint64_t{1} << 56U) - 1)};
}

/// A semaphore that has, or had, a name. Its place in the list gives its address.
struct NamedSemaphore {
    /// The name, which is an object to itself: it may stand for another semaphore later.
    ObjectId name;
    ObjectId object;
    bool linked = false;
    unsigned times_open = 0;
};

/// A piece of memory from malloc.
struct Allocation {
    std::uint64_t size = 0;
    ThreadId thread;
    /// Which one of the thread, counted from 1.
    unsigned nth = 0;
    /// Where the program asked for it.
    std::uint64_t site = 0;
    /// The C library asked for it, for purposes of its own.
    bool is_runtimes = false;
};

/// All we know of one run; with a copy of the process it is a checkpoint. A plain value.
struct RunState {
    explicit RunState(const ModelOptions& options) : model(options) {}

    SyncModel model;
    /// In the order of creation, so that the first is main. Ended ones stay, to be joined.
    std::deque<VirtualThread> threads;
    /// The one whose registers and masks the kernel thread has.
    std::size_t current = 0;
    /// Every live thread, in the order of their ids.
    std::vector<ParkedThread> parked;
    /// Objects by object_key().
    std::unordered_map<std::uint64_t, ObjectId> objects;
    std::vector<NamedSemaphore> named_semaphores;
    VirtualClock clock;
    std::vector<VirtualTimer> timers;
    unsigned timers_made = 0;
    /// Sent to the process while all threads blocked them.
    std::vector<PendingSignal> process_signals;
    /// Signals whose handlers let an interrupted system call go on (SA_RESTART).
    SignalSet restarting_signals = 0;
    /// Which descriptors are standard input (0), output (1) and error (2).
    std::vector<std::pair<int, int>> streams{{0, 0}, {1, 1}, {2, 2}};
    std::size_t input_read = 0;
    /// What went to standard output and standard error.
    std::array<std::string, 2> output;
    std::shared_ptr<const Loaded> loaded;
    /// main has been reached, or a second thread made before: from here on operations are the search's
    /// business.
    bool started = false;
    /// The program has said where the region to be explored begins, ends.
    bool region_begun = false;
    bool region_ended = false;
    /// The program may have files open, whose offsets its copies share.
    bool has_files = false;
    /// The program may have files open that let threads wait: pipes, sockets, devices ...
    bool has_channels = false;
    /// It has something that its copies would share with it: a pipe, shared memory, a lock on a file.
    bool cannot_be_copied = false;
    /// It has, or makes, code that may read the time stamp counter.
    bool may_read_time_stamps = false;
    /// The kernel does not let it. True of every program until it has started.
    bool time_stamps_forbidden = true;
    /// What is watched in this run; none: nothing.
    std::shared_ptr<const WatchPlan> plan;
    /// It is watched now: pages may be closed.
    bool watching = false;
    /// There is only one thread (Run::is_alone()).
    bool alone = false;
    /// Instructions that may access visible memory have breakpoints.
    bool at_access_points = false;
    WatchedMemory watched;
    /// Memory from malloc that is in use, by its address. Known only where something is watched.
    std::map<std::uint64_t, Allocation> allocations;
    /// Of a checkpoint: where its files stood.
    std::vector<std::pair<int, std::int64_t>> file_offsets;
    std::optional<RunEnd> end;
};

}  // namespace coopcheck::tracer
