#pragma once

#include "explorer/coverage.hpp"

namespace coopcheck::cmd {

/// How many of ConTest's tasks were covered; all of them by name if `in_full`.
void print_coverage(const Coverage& coverage, bool in_full);

}  // namespace coopcheck::cmd
