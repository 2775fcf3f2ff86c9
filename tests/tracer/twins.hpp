#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/execution.hpp"
#include "explorer/search_options.hpp"
#include "tests/support/generator.hpp"
#include "tests/support/program.hpp"

namespace coopcheck::tracer::test {

/// What a search saw of a program, in words that do not depend on what runs it.
struct SeenSchedules {
    /// In the order of the search: how the path ended, and its steps (thread, operation, objects, variant).
    std::vector<std::string> paths;
    std::set<std::string> findings;
    /// The budget was too small for all of them.
    bool cut = false;
    /// A spin lock is unlocked that is free. glibc has one function for that and for pthread_spin_init, so
    /// the tracer takes it for the latter.
    bool unlocks_free_spin = false;

    friend bool operator==(const SeenSchedules&, const SeenSchedules&) = default;
};

[[nodiscard]] SeenSchedules see_schedules(Execution& execution, const SearchOptions& options);
/// The same without what only one of the twins has: accesses are left out of the steps, so that an execution
/// that watches memory and one that does not are searched in the same way; so are sites and fingerprints.
[[nodiscard]] SeenSchedules see_schedules_without_data(Execution& execution, const SearchOptions& options);
/// Empty if there is none.
[[nodiscard]] std::string difference(const SeenSchedules& left, const std::string& left_name,
                                     const SeenSchedules& right, const std::string& right_name);

/// The shapes that both executions can run, of the size at which a search takes milliseconds.
[[nodiscard]] std::vector<testing::Shape> twin_shapes();
/// The ways to search in which the twins are compared.
struct TwinSearch {
    std::string name;
    SearchOptions options;
};
[[nodiscard]] std::vector<TwinSearch> twin_searches();
/// The models a shape's programs are tried under.
[[nodiscard]] std::vector<ModelOptions> twin_models(const testing::Shape& shape);

/// What comparing one program came to.
struct TwinComparison {
    std::size_t searches = 0;
    std::size_t cut = 0;  ///< searches that ended with their budget: what they saw until then is compared
    std::size_t ambiguous = 0;  ///< searches not compared: a spin lock is unlocked that is free
    std::size_t paths = 0;
    std::size_t findings = 0;
    /// Empty, or what differs and the program.
    std::string difference;

    void add(const TwinComparison& other);
};
/// `interpreter`: the path of tests/targets/interpreter.
[[nodiscard]] TwinComparison compare_twins(const testing::Program& program, const testing::Shape& shape,
                                           const std::string& interpreter);

}  // namespace coopcheck::tracer::test
