#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/dependence.hpp"
#include "core/ids.hpp"

namespace coopcheck {

/// Happens-before over the events of one path: the order of each thread, and the order of dependent events,
/// closed transitively. Told by vector clocks.
class EventOrder {
  public:
    /// Appends an event; returns its number, from 0.
    std::size_t add(ThreadId thread, const Label& label);
    /// An operation that was not carried out: ordered after what it depends on and before nothing. Add these
    /// after all events.
    std::size_t add_pending(ThreadId thread, const Label& label);

    [[nodiscard]] std::size_t size() const { return events_.size(); }
    [[nodiscard]] bool before(std::size_t one, std::size_t other) const {
        return clock(other)[events_[one].thread] >= events_[one].position && one != other;
    }
    [[nodiscard]] std::size_t previous_of_thread(std::size_t event) const { return events_[event].previous; }
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    /// How many events of each thread, by its index, happen before the event; it counts itself.
    [[nodiscard]] const std::vector<std::uint32_t>& times(std::size_t event) const {
        return events_[event].times;
    }

    /// The events of other threads that happen before `event`, and not before what its thread did last; the
    /// latest first.
    [[nodiscard]] std::vector<std::size_t> news_of(std::size_t event) const;

    void clear();

  private:
    using Times = std::vector<std::uint32_t>;
    struct Entry {
        std::uint32_t thread = 0;
        std::uint32_t position = 0;  // in its thread, from 1
        std::size_t previous = none;
        Times times;
    };
    struct Touched {
        Times read;
        Times added;
        Times written;
    };

    struct View {
        const Times& times;
        std::uint32_t operator[](std::uint32_t thread) const {
            return thread < times.size() ? times[thread] : 0;
        }
    };
    [[nodiscard]] View clock(std::size_t event) const { return {events_[event].times}; }
    Entry ordered_after(ThreadId thread, const Label& label) const;

    std::vector<Entry> events_;
    std::vector<std::vector<std::size_t>> of_thread_;
    std::unordered_map<Location, Touched> touched_;
    Times everything_;
    Times world_;
};

}  // namespace coopcheck
