#pragma once

#include <string>
#include <vector>

namespace coopcheck::tracer {

/// What trying out one mechanism of this machine has shown.
struct ProbeResult {
    std::string name;
    bool works = false;
    /// What was seen, or what is wrong.
    std::string detail;
    /// What the user can do; empty when it works.
    std::string remedy;
};

/// Each tries the mechanism for real, in a child process that is gone when the function returns.
[[nodiscard]] ProbeResult probe_architecture();
[[nodiscard]] ProbeResult probe_ptrace();
[[nodiscard]] ProbeResult probe_fixed_addresses();
[[nodiscard]] ProbeResult probe_seccomp();

/// All of the above, in the order in which a user should repair them.
[[nodiscard]] std::vector<ProbeResult> probe_machine();

}  // namespace coopcheck::tracer
