#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace coopcheck::testing {

/// The words on a command line that stand in one string of the manifest.
using Words = std::vector<std::string>;

/// What a broken program is to be found out by.
struct ExpectedFinding {
    /// As in a trace: "deadlock", "assertion", ...
    std::string kind;
    unsigned preemptions = 0;
    /// "file:line" of the lines that end with the mark; empty if the place does not count.
    std::vector<std::string> places;
};

/// The schedules of ExitBlock without pruning.
struct ExpectedCount {
    std::string program;
    Words arguments;
    std::size_t schedules = 0;
    /// How one gets this number without running the program.
    std::string why;
};

struct FixedProgram {
    Words arguments;
    unsigned bound = 2;
    /// A search without a bound comes to its end, too.
    bool all_schedules = false;
};

/// A row of corpus/manifest.json; corpus/README.md says what the fields mean.
struct CorpusEntry {
    /// "folder/name"
    std::string program;
    std::string from;
    /// Nothing for a program that has no bug.
    std::optional<ExpectedFinding> finding;
    unsigned bound = 2;
    Words options;
    /// What coopcheck has to be able to do first; empty if nothing.
    std::string needs;
    std::vector<Words> quick;
    std::vector<Words> nightly;
    std::vector<Words> many;
    std::vector<Words> missed;
    std::vector<Words> harmless;
    std::optional<FixedProgram> fixed;
    std::optional<ExpectedCount> exitblock;
};

/// Reads manifest.json in the folder, and the marks in the sources beside it.
[[nodiscard]] std::vector<CorpusEntry> read_corpus(const std::filesystem::path& source_folder);

/// The programs for which there is a source, as the manifest names them.
[[nodiscard]] std::vector<std::string> corpus_sources(const std::filesystem::path& source_folder);

/// "folder/name 2 apart"
[[nodiscard]] std::string command_line(const std::string& program, const Words& arguments);

}  // namespace coopcheck::testing
