#include "tracer/polled_memory.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "tracer/ptrace.hpp"
#include "tracer/writable_memory.hpp"

namespace coopcheck::tracer {

namespace {

/// So many instructions are looked at. A loop that waits makes many turns in them.
constexpr std::size_t instructions_looked_at = 3'000;
constexpr std::size_t fewest_turns = 5;
/// A loop that touches more than this is at work.
constexpr std::size_t most_places = 16;
constexpr std::uint64_t widest_look = 16;

class PollExaminer {
  public:
    PollExaminer(ChildProcess& process, const TargetMemory& memory,
                 const std::function<bool(RemoteAddress)>& is_operation)
        : process_(process), memory_(memory), is_operation_(is_operation) {}

    PollExamination run() {
        PollExamination result;
        const auto start = ptrace::get_registers(process_.id());
        if (!start) return result;
        registers_ = start.value();
        std::size_t made = 0;
        while (made < instructions_looked_at && places_.size() <= most_places && step()) ++made;
        result.other_stop = other_stop_;
        if (made == instructions_looked_at && places_.size() <= most_places) result.polled = polled();
        return result;
    }

  private:
    struct Look {
        PolledMemory what;
        std::vector<std::byte> content;
        std::size_t times = 0;
        bool has_changed = false;
    };

    bool step() {
        const RemoteAddress here{registers_.rip};
        const auto instruction = is_operation_(here) ? nullptr : instructions_.at(here, memory_);
        if (!instruction || instruction->is_system_call()) return false;
        if (!instruction->is_branch()) {
            for (const MemoryTouch& touch : instruction->touches(registers_)) note(here, touch);
        }
        if (ptrace::single_step(process_.id())) return false;
        const WaitStatus status = process_.wait();
        if (status != WaitStatus(Stopped{SIGTRAP})) {
            other_stop_ = status;
            return false;
        }
        const auto after = ptrace::get_registers(process_.id());
        if (!after) return false;
        registers_ = after.value();
        return true;
    }

    void note(RemoteAddress here, const MemoryTouch& touch) {
        places_.insert(number(touch.address));
        if (touch.writes) {
            for (std::uint64_t byte = 0; byte < std::min(touch.size, widest_look); ++byte)
                written_.insert(number(touch.address) + byte);
            return;
        }
        if (touch.size > widest_look) return;
        std::array<std::byte, widest_look> room{};
        const auto content = std::span(room).first(touch.size);
        if (memory_.read(touch.address, content)) return;
        Look& look = looks_[{number(here), number(touch.address)}];
        look.has_changed =
            look.has_changed || (look.times > 0 && !std::equal(content.begin(), content.end(),
                                                               look.content.begin(), look.content.end()));
        look.what = {here, touch};
        look.content.assign(content.begin(), content.end());
        look.times += 1;
    }

    [[nodiscard]] std::vector<PolledMemory> polled() const {
        const std::vector<MemoryRange> writable = writable_memory(process_.id());
        std::vector<PolledMemory> all;
        for (const auto& [place, look] : looks_) {
            const RemoteAddress address = look.what.touch.address;
            const auto next = written_.lower_bound(number(address));
            const bool is_written = next != written_.end() && *next < number(address) + look.what.touch.size;
            const bool can_change =
                std::any_of(writable.begin(), writable.end(), [&](const MemoryRange& range) {
                    return address >= range.start && address - range.start < range.size;
                });
            if (look.times >= fewest_turns && !look.has_changed && !is_written && can_change)
                all.push_back(look.what);
        }
        return all;
    }

    ChildProcess& process_;
    const TargetMemory& memory_;
    const std::function<bool(RemoteAddress)>& is_operation_;
    Instructions instructions_;
    user_regs_struct registers_{};
    std::map<std::pair<std::uint64_t, std::uint64_t>, Look> looks_;
    std::set<std::uint64_t> written_;
    std::set<std::uint64_t> places_;
    std::optional<WaitStatus> other_stop_;
};

}  // namespace

PollExamination find_polled_memory(ChildProcess& process, const TargetMemory& memory,
                                   const std::function<bool(RemoteAddress)>& is_operation) {
    return PollExaminer(process, memory, is_operation).run();
}

}  // namespace coopcheck::tracer
