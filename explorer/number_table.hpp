#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace coopcheck {

struct NoValue {};

/// Values by numbers that are as good as random already (StepNumbers, and sums of them), in one piece of
/// memory. 0 is taken for 1.
template <typename Value = NoValue>
class NumberTable {
  public:
    /// False if the number is there already; its value stays what it is.
    bool add(std::uint64_t number, Value value = {}) {
        if (2 * (count_ + 1) > entries_.size()) {
            enlarge();
        }
        Entry& entry = entries_[find_place(number)];
        if (entry.number != none) {
            return false;
        }
        entry = {given(number), value};
        count_ += 1;
        return true;
    }
    /// Null if it is not there.
    [[nodiscard]] const Value* find(std::uint64_t number) const {
        const Entry& entry = entries_[find_place(number)];
        return entry.number == none ? nullptr : &entry.value;
    }

  private:
    static constexpr std::uint64_t none = 0;
    /// A power of two, as are all sizes.
    static constexpr std::size_t first_size = 64;

    struct Entry {
        std::uint64_t number = none;
        [[no_unique_address]] Value value{};
    };

    static std::uint64_t given(std::uint64_t number) { return number == none ? 1 : number; }
    [[nodiscard]] std::size_t find_place(std::uint64_t number) const {
        std::size_t at = number & (entries_.size() - 1);
        while (entries_[at].number != none && entries_[at].number != given(number)) {
            at = (at + 1) & (entries_.size() - 1);
        }
        return at;
    }
    void enlarge() {
        std::vector<Entry> before(2 * entries_.size());
        before.swap(entries_);
        for (const Entry& entry : before) {
            if (entry.number != none) {
                entries_[find_place(entry.number)] = entry;
            }
        }
    }

    std::vector<Entry> entries_ = std::vector<Entry>(first_size);
    std::size_t count_ = 0;
};

}  // namespace coopcheck
