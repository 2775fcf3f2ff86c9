#pragma once

#include <CLI/App.hpp>
#include <string>

#include "core/finding.hpp"
#include "explorer/race_watch.hpp"
#include "explorer/search_options.hpp"
#include "explorer/search_result.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::cmd {

struct RaceOptions {
    RaceSampling races = RaceSampling::Sample;
    Points points = Points::Racy;
    FootprintSource footprints = FootprintSource::Locks;
};

void declare_races(CLI::App& command, RaceOptions& options);

/// A race for people: both accesses, where they are made, with which locks held, and by which calls.
[[nodiscard]] std::string describe_race(tracer::TracedExecution& execution, const Finding& finding);

/// What a claim says about the accesses to shared data.
[[nodiscard]] std::string condition_on_data(const RaceWatch& watch, const SearchResult& result);

}  // namespace coopcheck::cmd
