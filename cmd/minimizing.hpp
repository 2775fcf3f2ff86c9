#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/finding.hpp"
#include "explorer/decision.hpp"
#include "explorer/search_options.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::cmd {

/// A finding with its simplest schedule, as far as there was time to look for it.
struct Minimized {
    Finding finding;
    /// No schedule with fewer preemptions shows it.
    bool proved = false;
    /// It was tried to make it simpler, and why not to the end; empty if everything was tried.
    bool tried = false;
    std::string why_not;
    std::optional<Decision> decision;
};

/// `proved_below`: no schedule with fewer preemptions than this shows the finding, known already. `search` as
/// in the search that found it. Findings that cannot be minimized come back as they are.
[[nodiscard]] Minimized minimize_within(tracer::TracedExecution& execution, const Finding& finding,
                                        unsigned proved_below, const SearchOptions& search,
                                        const std::function<bool()>& should_stop);

/// Something that says yes from then on when so many seconds have passed, or the user interrupts.
[[nodiscard]] std::function<bool()> after(double seconds);

}  // namespace coopcheck::cmd
