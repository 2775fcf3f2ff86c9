#include "tracer/child_signal.hpp"

#include <algorithm>

namespace coopcheck::tracer {

ChildSignal::ChildSignal() {
    ::sigemptyset(&child_);
    ::sigaddset(&child_, SIGCHLD);
    ::pthread_sigmask(SIG_BLOCK, &child_, &before_);
}

ChildSignal::~ChildSignal() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void ChildSignal::wait(std::chrono::microseconds limit) const {
    const auto ns = std::max<long>(0, std::chrono::nanoseconds(limit).count());
    constexpr long second_ns = 1'000'000'000;
    const timespec time{ns / second_ns, ns % second_ns};
    // Interrupted or out of time: the caller looks again in any case.
    static_cast<void>(::sigtimedwait(&child_, nullptr, &time));
}

}  // namespace coopcheck::tracer
