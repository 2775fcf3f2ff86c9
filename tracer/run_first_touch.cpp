// Watching with less precision: in each step a page stops the program when it is first read and when it is
// first written, and not again.
#include <sys/mman.h>

#include "tracer/must.hpp"
#include "tracer/run.hpp"

namespace coopcheck::tracer {

bool Run::touches_first() const { return state_.watching && state_.plan->first_touch; }

void Run::touch_page(const VirtualThread& thread, std::uint64_t page, bool write) {
    const WatchedRegion* region = state_.watched.find(page);
    if (region == nullptr || region->owner == thread.id) return;
    const bool is_nobodys = !region->owner.valid();
    if (is_nobodys && !state_.plan->unshared_too && !state_.plan->must_stay_closed(page)) {
        protect({page, page + memory_page, ThreadId{}, false}, false);
        state_.watched.give(page, thread.id);
        return;
    }
    const auto known = touched_pages_.find(page);
    if (known != touched_pages_.end() && (known->second || !write)) return;
    note_escape(thread, {RemoteAddress{page}, 1, !write, write});
    tell_touch(page, write);
}

void Run::tell_touch(std::uint64_t page, bool write) {
    Access access{Location::memory(page), write};
    access.size = 1;
    access.also_read = write;
    accesses_.push_back(std::move(access));
    touched_pages_[page] = write;
    open_touched(page, write);
}

void Run::open_touched(std::uint64_t page, bool write) {
    protect({page, page + memory_page, ThreadId{}, false}, write ? PROT_READ | PROT_WRITE : PROT_READ);
    if (state_.watched.is_closed(page))
        state_.watched.add_opened({page, page + memory_page, ThreadId{}, true});
}

bool Run::open_for_writing(std::uint64_t page) {
    const auto known = touched_pages_.find(page);
    if (known == touched_pages_.end() || known->second) return false;
    tell_touch(page, true);
    return true;
}

void Run::touch_pages(const VirtualThread& thread, const Instruction& instruction) {
    for (const MemoryTouch& touch : instruction.touches(thread.registers)) {
        const std::uint64_t end = number(touch.address) + touch.size;
        for (std::uint64_t page = page_of(number(touch.address)); page < end; page += memory_page)
            touch_page(thread, page, touch.writes);
    }
}

Run::Next Run::on_first_touch(VirtualThread& thread, const Instruction& instruction, std::uint64_t fault) {
    session_->watch.cost += 2;
    faults_in_step_ += 1;
    if (thread.works_for_itself()) {
        // Closed again when it is done.
        for (const MemoryTouch& touch : instruction.touches(thread.registers))
            open_pages(number(touch.address), number(touch.address) + touch.size);
        open_pages(fault, fault + 1);
        return Next::ResumeChanged;
    }
    const bool was_open_for_reading = touched_pages_.contains(page_of(fault));
    touch_pages(thread, instruction);
    // It touches more than was known. What it does there is not known either.
    if (state_.watched.is_closed(fault)) touch_page(thread, page_of(fault), true);
    if (was_open_for_reading) open_for_writing(page_of(fault));
    return Next::ResumeChanged;
}

void Run::close_touched() {
    if (touched_pages_.empty()) return;
    touched_pages_.clear();
    if (touches_first() && !ended()) close_for(state_.threads[state_.current].id);
}

}  // namespace coopcheck::tracer
