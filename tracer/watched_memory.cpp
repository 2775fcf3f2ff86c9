#include "tracer/watched_memory.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tracer/scratch.hpp"

namespace coopcheck::tracer {

namespace {

constexpr std::uint64_t up_to_page(std::uint64_t address) { return page_of(address + memory_page - 1); }

bool is_data(const MemoryMap& map) {
    return map.permissions.starts_with("rw-") && map.path != "[vvar]" && map.path != "[vdso]";
}

/// The stack of a thread with what glibc puts above it: thread-local variables and its own description of the
/// thread.
WatchedRegion stack_of(const VirtualThread& thread) {
    constexpr std::uint64_t most_above = 64 * memory_page;
    const std::uint64_t high = number(thread.stack_high);
    const std::uint64_t self = thread.registers.fs_base;
    const std::uint64_t top = self >= high && self - high < most_above ? self + memory_page : high;
    return {page_of(number(thread.stack_low)), up_to_page(top), thread.id, false};
}

/// Gives the pages of `piece` that belong to one of the regions its owner.
void carve(std::vector<WatchedRegion>& regions, const WatchedRegion& piece) {
    std::vector<WatchedRegion> result;
    for (const WatchedRegion& region : regions) {
        const std::uint64_t start = std::max(region.start, piece.start);
        const std::uint64_t end = std::min(region.end, piece.end);
        if (start >= end) {
            result.push_back(region);
            continue;
        }
        if (region.start < start) result.push_back({region.start, start, region.owner, false});
        result.push_back({start, end, piece.owner, false});
        if (end < region.end) result.push_back({end, region.end, region.owner, false});
    }
    regions = std::move(result);
}

/// The same for the pages among them that are nobody's.
void inherit(std::vector<WatchedRegion>& regions, const WatchedRegion& piece) {
    const std::vector<WatchedRegion> now = regions;
    for (const WatchedRegion& region : now) {
        if (region.owner.valid()) continue;
        const std::uint64_t start = std::max(region.start, piece.start);
        const std::uint64_t end = std::min(region.end, piece.end);
        if (start < end) carve(regions, {start, end, piece.owner, false});
    }
}

void merge(std::vector<WatchedRegion>& regions) {
    std::vector<WatchedRegion> result;
    for (const WatchedRegion& region : regions) {
        if (!result.empty() && result.back().end == region.start && result.back().owner == region.owner) {
            result.back().end = region.end;
        } else {
            result.push_back(region);
        }
    }
    regions = std::move(result);
}

}  // namespace

void WatchedMemory::find_regions(const std::vector<MemoryMap>& maps, const Modules& modules,
                                 std::span<const VirtualThread* const> threads, const WatchPlan& plan) {
    std::vector<WatchedRegion> all;
    const VirtualThread& main = *threads.front();
    for (const MemoryMap& map : maps) {
        const bool is_ours =
            map.start >= number(scratch::page) && map.start < number(scratch::page) + scratch::size;
        if (!is_data(map) || is_ours) continue;
        WatchedRegion region{map.start, map.end, ThreadId{}, false};
        if (map.path == "[stack]") region.owner = main.id;
        all.push_back(region);
    }
    for (const VirtualThread* thread : threads) {
        if (thread != &main && thread->live) carve(all, stack_of(*thread));
    }
    std::set<std::uint64_t> always_closed = plan.shared_pages;
    for (const std::uint64_t byte : plan.visible) always_closed.insert(page_of(byte));
    if (!plan.everything) {
        std::vector<WatchedRegion> pages;
        for (const std::uint64_t byte : plan.visible) {
            const std::uint64_t page = page_of(byte);
            const bool is_mapped = std::any_of(all.begin(), all.end(), [&](const WatchedRegion& region) {
                return page >= region.start && page < region.end;
            });
            if (is_mapped && (pages.empty() || pages.back().start != page))
                pages.push_back({page, page + memory_page, ThreadId{}, false});
        }
        all = std::move(pages);
    } else {
        // Where the dynamic linker has put main's thread-local variables there are its own, too. In a static
        // program they share the heap.
        const std::uint64_t self = main.registers.fs_base;
        const bool is_static = modules.all().size() == 1;
        if (is_static)
            carve(all, {page_of(self) - memory_page, page_of(self) + 2 * memory_page, main.id, false});
        std::erase_if(all, [&](const WatchedRegion& region) {
            const bool has_self = self >= region.start && self < region.end;
            return has_self || modules.is_runtime_code(RemoteAddress{region.start});
        });
        // What belonged to somebody still does, unless it has become somebody's stack.
        for (const WatchedRegion& before : regions_) {
            if (before.owner.valid()) inherit(all, before);
        }
        for (const std::uint64_t page : always_closed)
            carve(all, {page, page + memory_page, ThreadId{}, false});
    }
    merge(all);
    regions_ = std::move(all);
}

const WatchedRegion* WatchedMemory::find(std::uint64_t address) const {
    const auto next = std::upper_bound(
        regions_.begin(), regions_.end(), address,
        [](std::uint64_t wanted, const WatchedRegion& region) { return wanted < region.start; });
    if (next == regions_.begin()) return nullptr;
    const WatchedRegion& region = *std::prev(next);
    return address < region.end ? &region : nullptr;
}

bool WatchedMemory::is_closed(std::uint64_t address) const {
    const WatchedRegion* region = find(address);
    return region != nullptr && region->closed &&
           std::none_of(opened_.begin(), opened_.end(), [&](const WatchedRegion& open) {
               return address >= open.start && address < open.end;
           });
}

std::vector<WatchedRegion> WatchedMemory::closed_parts(std::uint64_t start, std::uint64_t end) const {
    std::vector<WatchedRegion> parts;
    for (std::uint64_t page = page_of(start); page < end; page += memory_page) {
        if (!is_closed(page)) continue;
        if (!parts.empty() && parts.back().end == page) {
            parts.back().end += memory_page;
        } else {
            parts.push_back({page, page + memory_page, ThreadId{}, true});
        }
    }
    return parts;
}

void WatchedMemory::give(std::uint64_t page, ThreadId owner) {
    WatchedRegion* found = find(page);
    if (found == nullptr) return;
    const WatchedRegion whole = *found;
    auto at = regions_.begin() + (found - regions_.data());
    // Neighbours with the same owner become one.
    if (at != regions_.begin() && whole.start == page) {
        WatchedRegion& before = *std::prev(at);
        if (before.end == page && before.owner == owner && !before.closed) {
            before.end += memory_page;
            at->start += memory_page;
            if (at->start == at->end) regions_.erase(at);
            return;
        }
    }
    at = regions_.erase(at);
    if (page + memory_page < whole.end)
        at = regions_.insert(at, {page + memory_page, whole.end, whole.owner, whole.closed});
    at = regions_.insert(at, {page, page + memory_page, owner, false});
    if (whole.start < page) regions_.insert(at, {whole.start, page, whole.owner, whole.closed});
}

WatchedRegion* WatchedMemory::find(std::uint64_t address) {
    return const_cast<WatchedRegion*>(std::as_const(*this).find(address));
}

}  // namespace coopcheck::tracer
