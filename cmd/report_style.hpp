#pragma once

#include <cstdint>

#include "cmd/cli_app.hpp"
#include "reporting/text_style.hpp"

namespace coopcheck::cmd {

/// How much is printed, and how.
struct StyleOptions {
    enum class Color : std::uint8_t { Auto, Always, Never };
    Color color = Color::Auto;
    /// Findings only.
    bool quiet = false;
    /// Every step, the passing schedule, the coverage.
    bool verbose = false;
};

void declare_style(CLI::App& command, StyleOptions& options);

/// Settles it for our standard output: colours and width of a terminal, NO_COLOR, COLUMNS.
[[nodiscard]] TextStyle text_style(const StyleOptions& options);

}  // namespace coopcheck::cmd
