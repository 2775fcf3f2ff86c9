#pragma once

#include <cstddef>

#include "cmd/explore_options.hpp"
#include "cmd/job_board.hpp"
#include "cmd/job_channel.hpp"
#include "core/knowledge.hpp"
#include "tracer/launch.hpp"

namespace coopcheck::cmd {

struct WorkerSetup {
    const ExploreOptions& options;
    tracer::LaunchOptions launch;
    /// Where all of us may run; each worker takes one of them.
    cpu_set_t cpus{};
    Knowledge knowledge;
    JobBoard& board;
    std::size_t number = 0;
};

/// What one of the processes of a search does: explores the parts that it is given, until the channel ends.
/// Returns the exit code of the process.
[[nodiscard]] int serve_search(const WorkerSetup& setup, const JobChannel& channel);

}  // namespace coopcheck::cmd
