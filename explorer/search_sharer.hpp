#pragma once

#include "explorer/search_state.hpp"

namespace coopcheck {

/// To whom a search gives a part of what it has left to do, for somebody else to go on with.
class SearchSharer {
  public:
    virtual ~SearchSharer() = default;
    /// Asked between paths.
    [[nodiscard]] virtual bool wants_part() = 0;
    /// The part that comes last in the order of the search: the search itself now ends before it. Deferred
    /// branches, counts and findings stay with the search.
    virtual void take(const SearchState& part) = 0;
    /// Of a search for classes: SearchState::news, for those who have the places before its own.
    virtual void tell(const SearchState& news) = 0;
};

}  // namespace coopcheck
