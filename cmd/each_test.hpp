#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cmd/explore_options.hpp"
#include "core/run_summary.hpp"

namespace coopcheck::cmd {

/// How a collection of tests is asked for its test cases, and how it says which of them failed.
enum class TestFramework : std::uint8_t { Doctest, GoogleTest };

/// By what is in the file: a program that does not know an option runs all its tests instead of listing them.
/// Nothing if it is made with neither.
[[nodiscard]] std::optional<TestFramework> framework_of(const std::string& program);

/// The test cases in what the program prints when it is asked for a list.
[[nodiscard]] std::vector<std::string> listed_tests(TestFramework framework, const std::string& list);

/// The options that run this test case alone.
[[nodiscard]] std::vector<std::string> filter_options(TestFramework framework, const std::string& test);

/// What the framework says about the first assertion that failed; empty if it says nothing.
[[nodiscard]] std::string failed_assertion(TestFramework framework, const std::string& output);

/// Explores each test case as a program of its own, with its traces in a folder of its own, and prints a row
/// for each. Throws Error if the program has no tests that we can list.
[[nodiscard]] std::vector<RunSummary> explore_each_test(
    const ExploreOptions& options, const std::function<RunSummary(ExploreOptions)>& explore_program);

}  // namespace coopcheck::cmd
