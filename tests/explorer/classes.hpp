#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/dependence.hpp"
#include "core/execution.hpp"
#include "tests/support/fiber_execution.hpp"
#include "tests/support/generator.hpp"
#include "tests/support/program.hpp"

namespace coopcheck::testing {

/// A run up to the order of independent events, as text: two runs are equivalent if and only if it is equal.
class RunClass {
  public:
    void step(ThreadId thread, const Operation& operation, Variant variant, const Label& label);
    [[nodiscard]] std::string text() const;

  private:
    struct Made {
        ThreadId thread;
        Label label;
        std::string name;  ///< thread, number in the thread, operation, variant
        std::size_t position = 0;
    };
    std::vector<Made> made_;
    std::set<std::string> ordered_;
};

/// All classes of runs that a program has.
struct Classes {
    std::set<std::string> complete;
    std::set<std::string> deadlocked;
    /// False if there were too many to enumerate.
    bool all = true;
    /// What was found wrong on the way; empty if nothing was.
    std::string problem;
};

/// By enumerating prefixes of runs. Knows nothing of the search; shares SyncModel and label_of with it. Of
/// equivalent prefixes one is continued; that they lead to the same state is checked each time.
[[nodiscard]] Classes enumerate_classes(FiberExecution& execution, std::size_t most_prefixes);

/// The class of a schedule, by running it.
[[nodiscard]] std::string class_of(FiberExecution& execution, const Schedule& schedule);

struct ClassComparison {
    bool too_large = false;
    std::size_t classes = 0;
    std::size_t schedules = 0;
    std::size_t redundant = 0;
    /// Empty if the search ran each class (source: at least, optimal: exactly) once.
    std::string mismatch;
};

[[nodiscard]] ClassComparison compare_classes(const FiberProgram& program, const ModelOptions& model,
                                              bool optimal, std::size_t most_prefixes);
[[nodiscard]] ClassComparison compare_classes(const Program& program, const ModelOptions& model, bool optimal,
                                              std::size_t most_prefixes);

/// How large the random programs are.
struct ClassSizes {
    int threads = 3;
    int operations = 10;
    std::size_t most_prefixes = 4'000;
};

struct ClassTotals {
    std::size_t compared = 0;
    std::size_t too_large = 0;
    std::size_t classes = 0;
    /// The first difference, with the smallest program that shows it; empty if there was none.
    std::string first_mismatch;
};

/// Random programs of a family with the seeds from `first` on, under every model that makes a difference to
/// them.
[[nodiscard]] ClassTotals compare_classes_of(const Shape& family, std::uint64_t first, std::size_t count,
                                             bool optimal, const ClassSizes& sizes = {});

}  // namespace coopcheck::testing
