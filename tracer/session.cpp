#include "tracer/session.hpp"

#include <unistd.h>

#include <array>

#include "core/error.hpp"
#include "tracer/result.hpp"

namespace coopcheck::tracer {

const std::string& Session::input() {
    if (input_read_) return *input_read_;
    if (input_) return input_read_.emplace(*input_);
    std::string text;
    std::array<char, 65536> chunk{};
    for (;;) {
        const ssize_t count = ::read(STDIN_FILENO, chunk.data(), chunk.size());
        if (count == -1 && errno == EINTR) continue;
        if (count == -1)
            throw Error("Cannot read the program's standard input: " + last_error().message() + ".");
        if (count == 0) break;
        text.append(chunk.data(), static_cast<std::size_t>(count));
    }
    return input_read_.emplace(std::move(text));
}

}  // namespace coopcheck::tracer
