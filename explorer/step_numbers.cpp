#include "explorer/step_numbers.hpp"

#include "explorer/faults.hpp"

namespace coopcheck {

namespace {

std::uint64_t mix(std::uint64_t value) {
    // The finalizer of splitmix64.
    value += 0x9e3779b97f4a7c15ULL;
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31U);
}

/// Of a step by itself: the nth of its thread.
std::uint64_t number_of(const Event& event, std::size_t nth) {
    std::uint64_t number = mix(event.thread.index());
    for (const std::uint64_t part :
         {std::uint64_t{nth}, std::uint64_t{static_cast<std::uint8_t>(event.operation.kind)},
          std::uint64_t{event.operation.object.index()},
          std::uint64_t{static_cast<std::uint8_t>(event.variant.kind)},
          std::uint64_t{event.variant.thread.index()}, std::uint64_t{event.variant.value}}) {
        number = mix(number ^ part);
    }
    return number;
}

}  // namespace

void StepNumbers::clear() {
    order_.clear();
    of_thread_.clear();
    last_ = 0;
    sum_ = 0;
}

std::uint64_t StepNumbers::add(const Event& event) {
    last_ = order_.add(event.thread, event.label);
    const std::size_t thread = event.thread.index();
    if (of_thread_.size() <= thread) {
        of_thread_.resize(thread + 1);
    }
    std::uint64_t number = number_of(event, of_thread_[thread].size());
    for (std::size_t other = 0; other < after().size() && !fault(Fault::SameByNumber); ++other) {
        const std::uint32_t count = after()[other] - (other == thread ? 1 : 0);
        if (count > 0) {
            number = mix(number ^ of_thread_[other][count - 1]);
        }
    }
    of_thread_[thread].push_back(number);
    sum_ += number;
    return number;
}

}  // namespace coopcheck
