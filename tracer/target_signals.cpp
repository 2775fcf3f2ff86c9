#include "tracer/target_signals.hpp"

#include <fstream>
#include <string>

namespace coopcheck::tracer {

bool TargetSignals::is_fatal(int signal) const {
    switch (signal) {
        case SIGCHLD:
        case SIGURG:
        case SIGWINCH:
        case SIGCONT:
        case SIGSTOP:
        case SIGTSTP:
        case SIGTTIN:
        case SIGTTOU:
            return false;
        default:
            return !contains(caught | ignored, signal);
    }
}

TargetSignals read_signals(ProcessId process) {
    TargetSignals signals;
    std::ifstream status("/proc/" + std::to_string(static_cast<pid_t>(process)) + "/status");
    for (std::string line; std::getline(status, line);) {
        const auto set = [&] { return std::stoull(line.substr(7), nullptr, 16); };
        if (line.starts_with("SigPnd:") || line.starts_with("ShdPnd:")) signals.pending |= set();
        if (line.starts_with("SigIgn:")) signals.ignored = set();
        if (line.starts_with("SigCgt:")) signals.caught = set();
    }
    return signals;
}

}  // namespace coopcheck::tracer
