#pragma once

#include <string>
#include <vector>

#include "cmd/cli_app.hpp"
#include "core/run_summary.hpp"

namespace coopcheck::cmd {

/// Files that are written when a search is over; empty for none.
struct ReportFiles {
    std::string json;
    std::string junit;
    std::string sarif;
    /// Without the page report.html in the folder of the traces.
    bool no_page = false;
};

void declare_report_files(CLI::App& command, ReportFiles& files);

/// Writes them. Throws Error if one cannot be written that was asked for by name; the page is only missed in
/// words, because nobody asked. Returns the path of the page, empty if there is none.
std::string write_report_files(const ReportFiles& files, const std::string& folder,
                               const std::vector<RunSummary>& runs);

}  // namespace coopcheck::cmd
