#include "cmd/interrupt.hpp"

#include <unistd.h>

#include <array>
#include <csignal>

#include "cmd/exit_code.hpp"

namespace coopcheck::cmd {

namespace {

constexpr std::array signals{SIGINT, SIGTERM};
volatile std::sig_atomic_t interrupted = 0;

void on_signal(int /*signal*/) {
    if (interrupted != 0) ::_exit(static_cast<int>(ExitCode::Interrupted));
    interrupted = 1;
}

}  // namespace

InterruptGuard::InterruptGuard() {
    interrupted = 0;
    struct sigaction action {};
    action.sa_handler = on_signal;
    for (const int signal : signals) ::sigaction(signal, &action, nullptr);
}

InterruptGuard::~InterruptGuard() {
    for (const int signal : signals) std::signal(signal, SIG_DFL);
}

bool InterruptGuard::was_interrupted() { return interrupted != 0; }

}  // namespace coopcheck::cmd
