#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cmd/cli_app.hpp"
#include "core/execution.hpp"
#include "explorer/explore.hpp"
#include "explorer/noise_policy.hpp"
#include "explorer/search_listener.hpp"
#include "explorer/search_options.hpp"
#include "explorer/search_result.hpp"
#include "explorer/shared_search.hpp"

namespace coopcheck::cmd {

/// Ways of searching, by their names on the command line.
enum class StrategyName : std::uint8_t {
    Default,  ///< none was given: settled when all options are known
    Classes,
    ExitBlock,
    Source,
    Optimal,
    Random,
    Uniform,
    History,
    Pct,
    Pos,
    Surw,
    Auto,
    Noise,  ///< this and the next are no searches under control: cmd/free_strategies.hpp
    None,
};

struct StrategyOptions {
    StrategyName name = StrategyName::Default;
    std::uint64_t seed = 1;
    double switch_probability = 1.0 / 8;
    unsigned depth = 3;
    /// Where the history strategy keeps its memory; empty for nowhere.
    std::string history_file;
    /// For the portfolio, which shares it; that it is kept is the business of the budget.
    std::optional<double> time_limit_s;
    NoiseOptions noise;
    /// Of free runs.
    double run_time_s = 10;
};

void declare_strategy(CLI::App& command, StrategyOptions& options);

/// The options of a search under control, as the strategy of this name runs it.
[[nodiscard]] SearchOptions reduced_search(StrategyName name, SearchOptions search);

/// What a search by any strategy came to.
struct Exploration {
    /// Findings, and what was proved by exhaustive search.
    SearchResult result;
    /// What can be said, a paragraph each.
    std::vector<std::string> claims;
    /// Every schedule was explored, within the bound if there is one.
    bool complete = false;
};

/// Makes those who share a search when it is worth it; nothing if it cannot be shared.
using MakeWorkers = std::function<std::unique_ptr<Workers>()>;

/// Searches under control. Only the strategy exitblock can be gone on with, or shared. `site_name` gives
/// places in the program names that are the same in every run of coopcheck. `make_workers` may be empty.
[[nodiscard]] Exploration search_by(const StrategyOptions& strategy, Execution& execution,
                                    const SearchOptions& search,
                                    const std::function<std::string(std::uint64_t)>& site_name,
                                    SearchListener* listener, const Continuation& continuation = {},
                                    const MakeWorkers& make_workers = {});

}  // namespace coopcheck::cmd
