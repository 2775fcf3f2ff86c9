#include "cmd/minimizing.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include "cmd/interrupt.hpp"
#include "core/race.hpp"
#include "explorer/minimize.hpp"

namespace coopcheck::cmd {

namespace {

bool can_be_minimized(const Finding& finding) {
    const bool can_be_looked_for =
        finding.kind != FindingKind::Race || (finding.race && finding.race->side_by_side);
    return finding.confirmed && can_be_looked_for && finding.kind != FindingKind::Livelock;
}

}  // namespace

std::function<bool()> after(double seconds) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    auto over = std::make_shared<bool>(false);
    return [end, over] {
        *over = *over || InterruptGuard::was_interrupted() || Clock::now() >= end;
        return *over;
    };
}

Minimized minimize_within(tracer::TracedExecution& execution, const Finding& finding, unsigned proved_below,
                          const SearchOptions& search, const std::function<bool()>& should_stop) {
    Minimized minimized;
    minimized.finding = finding;
    minimized.proved = finding.confirmed && proved_below >= finding.preemptions;
    if (!can_be_minimized(finding) || should_stop()) return minimized;
    MinimizeOptions options;
    options.should_stop = should_stop;
    options.visible = finding.visible;
    options.proved_below = std::min(proved_below, finding.preemptions);
    options.search = search;
    MinimizeResult result = minimize(execution, finding, options);
    minimized.tried = true;
    minimized.finding = std::move(result.finding);
    minimized.finding.visible = result.visible;
    minimized.proved = result.proved();
    minimized.decision = std::move(result.decision.decision);
    if (!result.proved()) minimized.why_not = result.gaps.empty() ? "the time was up" : result.gaps.front();
    return minimized;
}

}  // namespace coopcheck::cmd
