#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cmd/cli_app.hpp"
#include "cmd/minimizing.hpp"
#include "core/run_summary.hpp"
#include "explorer/search_options.hpp"
#include "explorer/search_result.hpp"
#include "reporting/text_style.hpp"
#include "tracer/launch.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::cmd {

struct TraceFolder {
    std::string path = "coopcheck-out";
};

void declare_trace_folder(CLI::App& command, TraceFolder& folder);

/// The trace of a finding, minimized or not, with everything that reports tell. Leaves the execution at the
/// end of its schedule.
[[nodiscard]] Trace make_trace(tracer::TracedExecution& execution, const tracer::LaunchOptions& launch,
                               const Minimized& minimized);

/// How findings are made simpler before they are reported.
struct ReportOptions {
    /// Seconds for all findings together; 0 for not at all.
    double minimize_time_s = 10;
    /// As in the search.
    SearchOptions search;
    TextStyle style;
    /// Told what is going on, and before something is printed (with an empty text); may be empty.
    std::function<void(const std::string&)> say;
};

/// Prints every finding and writes its trace: trace.json, trace-2.json and so on. Of what is only predicted
/// there is no trace, because its schedule does not show it. The execution is the one that was searched.
std::vector<ReportedFinding> report_findings(tracer::TracedExecution& execution,
                                             const tracer::LaunchOptions& launch, const SearchResult& result,
                                             const TraceFolder& folder, const ReportOptions& options);

}  // namespace coopcheck::cmd
