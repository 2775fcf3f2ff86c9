#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace.hpp"

namespace coopcheck::cmd {

/// Races that the user has looked at and does not want to hear of again: a file with one on each line,
/// "function:NAME", "object:NAME" or "file:PATTERN", all globs; what follows # is a comment. A race is
/// suppressed if one of its two accesses matches: the function that makes it, the memory (by the name of the
/// source or by origin), the source file (by its path or its last part).
class Suppressions {
  public:
    Suppressions() = default;
    /// Throws Error if it cannot be read, or a line is none of these.
    [[nodiscard]] static Suppressions read(const std::string& path);
    [[nodiscard]] static Suppressions parse(std::string_view text, const std::string& path);

    [[nodiscard]] bool empty() const { return all_.empty(); }
    [[nodiscard]] const std::string& path() const { return path_; }

    /// Whether the race of the trace is suppressed; counts it for every line that says so.
    bool suppresses(const Trace& trace);

    struct Entry {
        enum class What { Function, Object, File };
        What what = What::Function;
        std::string pattern;
        std::size_t line = 0;
        /// Races that it has matched.
        std::size_t matched = 0;
        /// As in the file: "function:log_*".
        [[nodiscard]] std::string text() const;
    };
    [[nodiscard]] const std::vector<Entry>& entries() const { return all_; }
    /// Races that were suppressed.
    [[nodiscard]] std::size_t suppressed() const { return suppressed_; }

  private:
    std::string path_;
    std::vector<Entry> all_;
    std::size_t suppressed_ = 0;
};

/// What was suppressed and by what, and what matched nothing; a sentence each.
[[nodiscard]] std::vector<std::string> describe(const Suppressions& suppressions);

}  // namespace coopcheck::cmd
