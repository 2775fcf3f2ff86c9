#pragma once

#include <set>
#include <string>
#include <vector>

#include "explorer/exit_block.hpp"

namespace coopcheck::testing {

/// Writes every path of a search down as the sections of code it ran through: the sites of its steps,
/// repeated ones once. Steps without a site (those of main) are left out.
class RecordedPaths : public SearchListener {
  public:
    void path(const PathReport& report) override;

    std::vector<std::string> in_order;  ///< complete ones
    std::set<std::string> complete;
    std::set<std::string> redundant;
    std::set<std::string> abandoned;
    std::set<std::string> deadlocked;
};

}  // namespace coopcheck::testing
