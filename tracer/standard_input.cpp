#include "tracer/standard_input.hpp"

#include <unistd.h>

#include <array>

#include "core/error.hpp"
#include "tracer/result.hpp"

namespace coopcheck::tracer {

std::string read_standard_input() {
    std::string text;
    std::array<char, 65536> chunk{};
    for (;;) {
        const ssize_t count = ::read(STDIN_FILENO, chunk.data(), chunk.size());
        if (count == -1 && errno == EINTR) continue;
        if (count == -1)
            throw Error("Cannot read the program's standard input: " + last_error().message() + ".");
        if (count == 0) return text;
        text.append(chunk.data(), static_cast<std::size_t>(count));
    }
}

std::string input_of_free_runs(const LaunchOptions& options) {
    if (options.input) return *options.input;
    return ::isatty(STDIN_FILENO) == 1 ? "" : read_standard_input();
}

}  // namespace coopcheck::tracer
