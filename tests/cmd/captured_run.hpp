#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tracer/wait.hpp"

namespace coopcheck::testing {

struct CapturedRun {
    tracer::WaitStatus end;
    std::string out;
    std::string err;
};

/// The path of a program of the corpus.
[[nodiscard]] std::string corpus(const std::string& name);

/// Runs the coopcheck that was built with these tests to its end, with stdin empty and no COOPCHECK_*
/// variables. `before_start` is called in the new process before it becomes coopcheck, `meanwhile` here, with
/// its process.
CapturedRun run_coopcheck(
    const std::vector<std::string>& arguments, const std::function<void()>& before_start = [] {},
    const std::function<void(tracer::ProcessId)>& meanwhile = [](tracer::ProcessId) {});

}  // namespace coopcheck::testing
