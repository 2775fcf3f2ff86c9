#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "explorer/explore.hpp"
#include "tests/support/fiber_execution.hpp"
#include "tests/support/outcomes.hpp"
#include "tests/support/program.hpp"

namespace coopcheck::testing {

/// What a search says can come out of a program, in the words of brute force.
struct SearchOutcomes {
    /// Element b: with at most b preemptions. One element if the search has no bound.
    std::vector<Outcomes> within;
    /// Of everything that was run: a search may run schedules that need more preemptions than its bound.
    Outcomes all;
    SearchResult result;
    /// The same schedule was run twice (restarts of the search not counted).
    bool repeated_a_schedule = false;
};

/// How a search is run: by explore(), or together with others.
using Searching = std::function<SearchResult(Execution&, const SearchOptions&, SearchListener*)>;
[[nodiscard]] SearchResult search_alone(Execution& execution, const SearchOptions& options,
                                        SearchListener* listener);

[[nodiscard]] SearchOutcomes search(const Program& program, const ModelOptions& model,
                                    const SearchOptions& options, const Searching& searching = search_alone);
[[nodiscard]] SearchOutcomes search(const FiberProgram& program, const ModelOptions& model,
                                    const SearchOptions& options, const Searching& searching = search_alone);

/// A kind of search to be compared with brute force.
struct SearchKind {
    std::string name;
    SearchOptions options;
    /// Its claim covers deadlocks: one is found if and only if there is one.
    bool finds_deadlocks = true;
};

/// ExitBlock, -RW, -DD, -RWDD, single operations, and bounded ones.
[[nodiscard]] const std::vector<SearchKind>& search_kinds();

/// What brute force says: all outcomes, and those within each bound that the search kinds use.
struct Expected {
    Outcomes all;
    std::vector<Outcomes> within;
};
/// Nothing if the program has too many states.
[[nodiscard]] std::optional<Expected> expect(const Program& program, const ModelOptions& model);

/// Runs the search on the program and says how its outcomes differ from those of brute force, if they do.
/// A search that reaches its limit on schedules is not compared; `cut` is then set.
[[nodiscard]] std::optional<std::string> mismatch(const Program& program, const ModelOptions& model,
                                                  const SearchKind& kind, const Expected& expected, bool& cut,
                                                  const Searching& searching = search_alone);

/// What comparing many random programs came to.
struct ComparisonTotals {
    std::size_t programs = 0;
    std::size_t too_large = 0;  ///< programs skipped: too many states for brute force
    std::size_t searches = 0;
    std::size_t searches_cut = 0;  ///< not compared: too many schedules
    std::size_t with_deadlock = 0;
    std::size_t with_assertion = 0;
    std::size_t with_misuse = 0;
    /// Empty, or everything about the first mismatch: the program as code, shrunk.
    std::string first_mismatch;
};

enum class OnMismatch : std::uint8_t { Explain, OnlySay };
/// Small programs are many times quicker to compare, and nearly as good at showing mistakes.
enum class ProgramSize : std::uint8_t { Small, Full };

/// Compares all search kinds on programs of one family (shape) with consecutive seeds, up to the first
/// mismatch.
[[nodiscard]] ComparisonTotals compare_family(const std::string& family, ProgramSize size,
                                              std::uint64_t first_seed, std::size_t count,
                                              OnMismatch on_mismatch = OnMismatch::Explain);

}  // namespace coopcheck::testing
