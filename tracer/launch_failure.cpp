#include "tracer/launch_failure.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "core/error.hpp"
#include "tracer/result.hpp"

namespace coopcheck::tracer {

int tell_failure(int pipe, const LaunchFailure& failure) {
    static_cast<void>(::write(pipe, &failure, sizeof failure));
    return 1;
}

FailurePipe::FailurePipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0)
        throw Error("Cannot make a pipe: " + last_error().message() + ".");
}

FailurePipe::~FailurePipe() {
    ::close(ends_[0]);
    close_child_end();
}

void FailurePipe::close_child_end() {
    if (ends_[1] != -1) ::close(ends_[1]);
    ends_[1] = -1;
}

std::optional<LaunchFailure> FailurePipe::read() const {
    LaunchFailure failure{};
    if (::read(ends_[0], &failure, sizeof failure) != sizeof failure) return std::nullopt;
    return failure;
}

}  // namespace coopcheck::tracer
