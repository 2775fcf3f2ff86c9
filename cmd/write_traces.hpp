#pragma once

#include <CLI/App.hpp>
#include <string>

#include "explorer/search_options.hpp"
#include "explorer/search_result.hpp"
#include "tracer/launch.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::cmd {

struct TraceFolder {
    std::string path = "coopcheck-out";
};

void declare_trace_folder(CLI::App& command, TraceFolder& folder);

/// How findings are made simpler before they are reported.
struct ReportOptions {
    /// Seconds for all findings together; 0 for not at all.
    double minimize_time_s = 10;
    /// As in the search.
    SearchOptions search;
};

/// Prints every finding step by step and writes its trace: trace.json, trace-2.json and so on. Of what is
/// only predicted there is no trace, because its schedule does not show it. The execution is the one that was
/// searched.
void report_findings(tracer::TracedExecution& execution, const tracer::LaunchOptions& launch,
                     const SearchResult& result, const TraceFolder& folder, const ReportOptions& options);

}  // namespace coopcheck::cmd
