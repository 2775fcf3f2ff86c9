#pragma once

#include "tests/nightly/measured.hpp"

namespace coopcheck::testing {

/// How many schedules each kind of search runs on the programs of the corpus that have an end.
void measure_counts(Measured& measured);

}  // namespace coopcheck::testing
