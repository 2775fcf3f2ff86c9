#include "cmd/coverage_table.hpp"

#include <iostream>
#include <string>
#include <vector>

namespace coopcheck::cmd {

void print_coverage(const Coverage& coverage, bool in_full) {
    const std::vector<std::string> covered = coverage.covered();
    const std::vector<std::string> uncovered = coverage.uncovered();
    std::cout << "coverage: " << covered.size() << " of " << covered.size() + uncovered.size()
              << " tasks (functions interrupted or not, and by which others)"
              << (in_full ? "" : "; --coverage lists them") << '\n';
    if (!in_full) return;
    for (const std::string& task : covered) std::cout << "  covered: " << task << '\n';
    for (const std::string& task : uncovered) std::cout << "  not covered: " << task << '\n';
}

}  // namespace coopcheck::cmd
