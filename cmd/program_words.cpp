#include "cmd/program_words.hpp"

#include <CLI/App.hpp>

#include "core/error.hpp"

namespace coopcheck::cmd {

void declare_program(CLI::App& command) {
    // CLI11 leaves in remaining() what no argument of the command takes. But it takes "--" for the end of the
    // command unless there is an argument still to come. So there is one, for that and for the help page,
    // which takes nothing.
    command
        .add_option_function<std::string>(
            "program", [](const std::string&) {}, "The program and its arguments")
        ->type_name("[ARGUMENTS...]")
        ->check([](const std::string&) { return std::string("left for remaining()"); });
    command.validate_positionals();
    command.prefix_command();
}

std::vector<std::string> program_words(const CLI::App& command) {
    const std::string see_help = "; see coopcheck " + command.get_name() + " --help.";
    std::vector<std::string> words = command.remaining();
    if (!words.empty() && words.front() == "--") {
        words.erase(words.begin());
    } else if (!words.empty() && words.front().starts_with('-')) {
        throw Error("Unknown option " + words.front() + see_help);
    }
    if (words.empty()) throw Error("No program given" + see_help);
    return words;
}

}  // namespace coopcheck::cmd
