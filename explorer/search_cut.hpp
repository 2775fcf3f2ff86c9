#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "explorer/node.hpp"

namespace coopcheck {

/// Where a stack of branches can be cut in two, each to be explored by itself: so many of its branches, from
/// its bottom, can go. Nothing if there is no such place, or not enough to do for two. `has_work`: the branch
/// is not just to be put aside.
///
/// A branch that delays a thread relies on the footprint of what that thread did: complete only when all
/// branches above it that still add to the footprint are explored. Between the two no cut is possible. Who
/// adds to a footprint always comes before who relies on it in the order of the search, so apart from that
/// any place will do.
[[nodiscard]] std::optional<std::size_t> place_to_cut(const std::vector<Branch>& stack,
                                                      const std::function<bool(const Branch&)>& has_work);

}  // namespace coopcheck
