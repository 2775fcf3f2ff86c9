#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/trace.hpp"

namespace coopcheck {

/// A finding of a search, and where its trace is.
struct ReportedFinding {
    Trace trace;
    /// The path of the trace file; empty if there is none.
    std::string file;
    std::string replay_command;
};

/// How far a search had come after some time.
struct ProgressSample {
    double seconds = 0;
    std::size_t schedules = 0;
    /// Preemptions of the schedules it was at.
    unsigned bound = 0;
};

/// Knuth's estimate of the number of schedules with at most so many preemptions, before pruning.
struct BoundEstimate {
    unsigned bound = 0;
    double log10_schedules = 0;
    double relative_error = 0;
    std::size_t walks = 0;
};

/// One thing that could be covered: a function was interrupted (by which other, if `by` is not empty), or ran
/// without being interrupted.
struct CoverageTask {
    std::string function;
    std::string by;
    bool interrupted = true;
    bool covered = false;
};

/// What was learnt of a piece of memory that the program uses.
struct StorageRow {
    /// As the source calls it, or by origin.
    std::string memory;
    /// "unshared", "protected", "unprotected", "atomic".
    std::string storage;
    /// Protected: by which locks; empty for memory that nobody writes any more once it is shared.
    std::vector<std::string> locks;
    std::vector<std::string> threads;
    std::size_t bytes = 0;
};

/// Everything that one search of one program came to: what reports for machines and the page are made of. A
/// plain value.
struct RunSummary {
    std::string tool;
    /// What the program is called in a list of several: a test case, or the program's file.
    std::string name;
    TraceProgram program;
    std::string strategy;
    std::vector<ReportedFinding> findings;
    std::vector<std::string> claims;
    /// What the claims rest on; empty if something was found.
    std::vector<std::string> conditions;
    /// Pairs of accesses without a lock in common that were in order in every schedule seen: races that are
    /// no findings, and that claims depend on.
    std::vector<Trace> undisciplined;
    /// What became of the suppressions, a sentence each.
    std::vector<std::string> suppressions;
    bool complete = false;
    bool interrupted = false;
    /// Why nothing could be explored; empty if it could.
    std::string error;
    int exit_code = 0;
    double seconds = 0;
    /// By name, in words of JSON: "complete", "deadlocked" ...
    std::map<std::string, std::size_t> counts;
    std::vector<std::size_t> paths_at_bound;
    std::vector<ProgressSample> progress;
    std::vector<BoundEstimate> estimates;
    std::vector<CoverageTask> coverage;
    /// Where it was asked for (--show-storage).
    std::vector<StorageRow> storage;
};

}  // namespace coopcheck
