// Virtual threads of a run: birth, end, finding them.
#include <linux/sched.h>

#include <algorithm>
#include <climits>
#include <string_view>

#include "core/check.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "tracer/birth_certificate.hpp"
#include "tracer/run.hpp"
#include "tracer/writable_memory.hpp"

namespace coopcheck::tracer {

VirtualThread& Run::thread_of(ThreadId id) {
    const auto found = std::find_if(state_.threads.begin(), state_.threads.end(),
                                    [&](const VirtualThread& thread) { return thread.id == id; });
    COOPCHECK_CHECK(found != state_.threads.end(), "a thread that this run has not");
    return *found;
}

VirtualThread* Run::thread_with_handle(std::uint64_t handle) {
    // A pthread_t is the thread pointer. It is used again for a later thread, which is then the one that is
    // meant.
    const auto found =
        std::find_if(state_.threads.rbegin(), state_.threads.rend(),
                     [&](const VirtualThread& thread) { return thread.registers.fs_base == handle; });
    return found == state_.threads.rend() ? nullptr : &*found;
}

VirtualThread* Run::thread_with_kernel_id(int kernel_id) {
    const auto found = std::find_if(
        state_.threads.begin(), state_.threads.end(),
        [&](const VirtualThread& thread) { return thread.kernel_id == kernel_id && thread.live; });
    return found == state_.threads.end() ? nullptr : &*found;
}

ParkedThread& Run::parked_entry(ThreadId id) {
    const auto position =
        std::lower_bound(state_.parked.begin(), state_.parked.end(), id,
                         [](const ParkedThread& entry, ThreadId wanted) { return entry.thread < wanted; });
    if (position != state_.parked.end() && position->thread == id) return *position;
    return *state_.parked.insert(position, {id, {}});
}

int Run::give_birth(VirtualThread& parent) {
    const BirthCertificate birth = read_birth_certificate(parent.registers, memory_);
    VirtualThread child;
    parent.children += 1;
    child.id = session_->names.threads.child(parent.id, parent.children);
    child.kernel_id = state_.threads.front().kernel_id + static_cast<int>(state_.threads.size());
    child.registers = parent.registers;
    child.registers.rax = 0;
    child.registers.orig_rax = ~0ULL;
    if (birth.stack_pointer != 0) child.registers.rsp = birth.stack_pointer;
    if ((birth.flags & CLONE_SETTLS) != 0) child.registers.fs_base = birth.thread_pointer;
    child.stack_low = RemoteAddress{birth.stack_low};
    child.stack_high = RemoteAddress{birth.stack_pointer};
    if ((birth.flags & CLONE_CHILD_CLEARTID) != 0) child.clear_on_exit = RemoteAddress{birth.child_tid};

    // The child starts with what the parent has in its vector registers and with its signal mask.
    std::vector<std::byte> area(16384);
    const auto size = ptrace::get_extended_state(process_.id(), area);
    const auto mask = ptrace::get_signal_mask(process_.id());
    if (!size || !mask) throw Error("The program was killed from outside while a thread was being made.");
    area.resize(size.value());
    child.extended_state = std::make_shared<const std::vector<std::byte>>(std::move(area));
    child.signal_mask = mask.value();
    child.name = parent.name;

    if ((birth.flags & CLONE_PARENT_SETTID) != 0) {
        static_cast<void>(memory_.write_value(RemoteAddress{birth.parent_tid}, child.kernel_id));
    }
    if ((birth.flags & CLONE_CHILD_SETTID) != 0) {
        static_cast<void>(memory_.write_value(RemoteAddress{birth.child_tid}, child.kernel_id));
    }
    const int kernel_id = child.kernel_id;
    parked_entry(child.id).operation = {.kind = OpKind::ThreadStart};
    // A deque: `parent` stays where it is.
    state_.threads.push_back(std::move(child));
    refresh_watched();
    const VirtualThread& born = state_.threads.back();
    note_fresh(number(born.stack_low), born.stack_high - born.stack_low);
    return kernel_id;
}

std::optional<std::uint64_t> Run::fingerprint() const {
    // What is in a pipe or a file, and when a timer expires, is not in memory.
    if (state_.cannot_be_copied || state_.has_channels || !state_.timers.empty()) return std::nullopt;
    constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20U;
    std::vector<MemoryRange> ranges = writable_memory(process_.id());
    for (const WatchedRegion& region : state_.watched.regions()) {
        if (region.closed) ranges.push_back({RemoteAddress{region.start}, region.end - region.start});
    }
    std::optional<std::uint64_t> hash = hash_of(ranges, memory_, most_bytes);
    for (const VirtualThread& thread : state_.threads) {
        if (!hash || !thread.live) continue;
        const std::string_view registers(reinterpret_cast<const char*>(&thread.registers),
                                         sizeof thread.registers);
        hash = *hash * 31 + std::hash<std::string_view>{}(registers);
    }
    return hash;
}

void Run::end_thread(VirtualThread& thread) {
    thread.live = false;
    thread.extended_state.reset();
    std::erase_if(state_.parked, [&](const ParkedThread& entry) { return entry.thread == thread.id; });
    if (thread.clear_on_exit != null_address) {
        static_cast<void>(memory_.write_value(thread.clear_on_exit, 0));
        const auto waited_on = state_.objects.find(object_key(thread.clear_on_exit, ObjectClass::Futex));
        if (waited_on != state_.objects.end()) {
            const Operation wake{.kind = OpKind::FutexWake, .object = waited_on->second, .value = INT_MAX};
            state_.model.apply(thread.id, wake, Variant::normal());
        }
    }
    if (state_.parked.empty()) finish({.kind = RunEnd::Kind::AllThreadsEnded});
}

}  // namespace coopcheck::tracer
