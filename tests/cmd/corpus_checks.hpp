#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/trace.hpp"
#include "tests/support/corpus.hpp"

namespace coopcheck::testing {

/// The programs of the corpus in the folder that they were built in, run by coopcheck.
struct CorpusRun {
    /// The program with its arguments.
    std::string command;
    int exit_code = -1;
    /// Of the first finding.
    std::optional<Trace> trace;
    /// As the claim counts them.
    std::size_t schedules = 0;
    double seconds = 0;
    /// What is not as it should be; empty if all is well.
    std::vector<std::string> complaints;
};

/// Limits of a search, given to coopcheck.
struct CorpusLimits {
    std::size_t schedules = 1'000;
    /// In seconds; no limit if it is not set, because a machine may be slow.
    std::optional<double> time_s;
    /// The finding is to be brought down to its preemptions, and these are to be proved.
    bool minimal = true;
};

/// The broken program: the finding, its place, its number of preemptions, and that the trace can be replayed.
[[nodiscard]] CorpusRun check_broken(const CorpusEntry& entry, const Words& arguments,
                                     const CorpusLimits& limits = {});
/// The broken program with arguments with which nothing goes wrong.
[[nodiscard]] CorpusRun check_harmless(const CorpusEntry& entry, const Words& arguments);
/// The fixed program, within the bound, or without one.
[[nodiscard]] CorpusRun check_fixed(const CorpusEntry& entry, bool without_bound);

}  // namespace coopcheck::testing
