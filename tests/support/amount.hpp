#pragma once

#include <algorithm>
#include <cstddef>

namespace coopcheck::testing {

/// Of that many random programs, how many a test looks at. Under a sanitizer everything takes ten times as
/// long, and what it looks for, mistakes with memory, shows in a tenth of them.
constexpr std::size_t amount(std::size_t programs) {
#ifdef __SANITIZE_ADDRESS__
    return std::max<std::size_t>(programs / 10, 1);
#else
    return programs;
#endif
}

/// So few that what they have of something, findings of a kind, says nothing.
constexpr bool looks_at_few = amount(10) < 10;

}  // namespace coopcheck::testing
