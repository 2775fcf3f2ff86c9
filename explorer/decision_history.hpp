#pragma once

#include <cstddef>
#include <iosfwd>
#include <map>
#include <set>
#include <string>

namespace coopcheck {

/// The decisions taken in each abstract state, over all runs: the memory of the history-dependent strategy.
/// Everything in it is text, so that it can be kept in a file and mean the same in the next run of the tool.
class DecisionHistory {
  public:
    /// A multiset of positions: how many ready threads are at each.
    using State = std::map<std::string, std::size_t>;

    [[nodiscard]] bool taken(const State& state, const std::string& decision) const;
    void take(const State& state, const std::string& decision) { states_[state].insert(decision); }
    [[nodiscard]] std::size_t states() const { return states_.size(); }
    [[nodiscard]] std::size_t decisions() const;

    /// Lines of text, the same for the same history.
    void save(std::ostream& out) const;
    /// Throws an Error that names the line if this is not a whole history as save() writes it.
    static DecisionHistory load(std::istream& in);

    friend bool operator==(const DecisionHistory&, const DecisionHistory&) = default;

  private:
    std::map<State, std::set<std::string>> states_;
};

}  // namespace coopcheck
