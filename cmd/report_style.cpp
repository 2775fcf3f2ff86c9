#include "cmd/report_style.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

namespace coopcheck::cmd {

namespace {

constexpr std::size_t narrowest = 40;
constexpr std::size_t widest = 500;

/// Empty as well as unset: no-color.org wants a value.
std::string variable(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): there are no other threads
    return value == nullptr ? "" : value;
}

std::size_t width() {
    winsize size{};
    std::size_t columns = 0;
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        columns = size.ws_col;
    } else {
        columns = std::strtoul(variable("COLUMNS").c_str(), nullptr, 10);
    }
    return columns >= narrowest && columns <= widest ? columns : TextStyle{}.width;
}

}  // namespace

void declare_style(CLI::App& command, StyleOptions& options) {
    const std::map<std::string, StyleOptions::Color> colors = {
        {"auto", StyleOptions::Color::Auto},
        {"always", StyleOptions::Color::Always},
        {"never", StyleOptions::Color::Never},
    };
    command
        .add_option("--color", options.color, "Colours in the report; auto: on a terminal, without NO_COLOR")
        ->transform(CLI::Transformer(colors).description("auto|always|never"))
        ->envname("COOPCHECK_COLOR");
    CLI::Option* quiet = command.add_flag("-q,--quiet", options.quiet, "Print findings only");
    command.add_flag("-v,--verbose", options.verbose, "Print every step, and the nearest passing schedule")
        ->excludes(quiet);
}

TextStyle text_style(const StyleOptions& options) {
    TextStyle style{.width = width(), .color = options.color == StyleOptions::Color::Always};
    if (options.color == StyleOptions::Color::Auto) {
        style.color =
            ::isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
    }
    style.all_steps = options.verbose;
    return style;
}

}  // namespace coopcheck::cmd
