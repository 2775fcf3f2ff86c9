#include "cmd/each_test.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <sstream>

#include "cmd/exit_code.hpp"
#include "cmd/explore_summary.hpp"
#include "cmd/interrupt.hpp"
#include "core/error.hpp"
#include "reporting/bytes_as_text.hpp"
#include "reporting/shell_words.hpp"

namespace coopcheck::cmd {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Runs the program natively, as its developer does.
std::string list_of(const std::string& program, TestFramework framework) {
    std::vector<std::string> words{program.find('/') == std::string::npos ? "./" + program : program};
    if (framework == TestFramework::Doctest) {
        words.insert(words.end(), {"--list-test-cases", "--no-colors=true", "--no-skip=false"});
    } else {
        words.emplace_back("--gtest_list_tests");
    }
    const std::string line = shell_words(words) + " 2>/dev/null </dev/null";
    std::FILE* pipe = ::popen(line.c_str(), "r");  // NOLINT(cert-env33-c): the user's own program
    if (pipe == nullptr) throw Error("Cannot run " + printable(program) + " to list its tests.");
    std::string text;
    std::array<char, 4096> chunk{};
    while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), pipe)) {
        text.append(chunk.data(), got);
    }
    if (::pclose(pipe) != 0) throw Error(printable(program) + " fails when asked for the list of its tests.");
    return text;
}

/// A name for a folder: letters, digits, and one dash for everything else.
std::string folder_name(const std::string& test, std::size_t number) {
    constexpr std::size_t longest = 60;
    std::string name = std::to_string(number) + "-";
    for (const char letter : test) {
        if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
            name += letter;
        } else if (name.back() != '-') {
            name += '-';
        }
        if (name.size() >= longest) break;
    }
    if (name.back() == '-') name.pop_back();
    return name;
}

std::string verdict_words(const RunSummary& run) {
    if (!run.error.empty()) return "ERROR";
    if (run.exit_code == static_cast<int>(ExitCode::Found)) return "FOUND";
    return run.complete ? "ok" : "incomplete";
}

void print_row(const RunSummary& run) {
    std::size_t schedules = 0;
    for (const char* kind : {"complete", "deadlocked", "livelocked"}) {
        const auto found = run.counts.find(kind);
        schedules += found == run.counts.end() ? 0 : found->second;
    }
    std::ostringstream row;
    row << std::left << std::setw(11) << verdict_words(run) << std::right << std::setw(8) << schedules
        << (schedules == 1 ? " schedule  " : " schedules ") << std::fixed << std::setprecision(2)
        << std::setw(8) << run.seconds << " s  " << printable(run.name);
    std::cout << row.str() << '\n';
    if (!run.error.empty()) std::cout << "           " << printable(run.error) << '\n';
}

}  // namespace

std::optional<TestFramework> framework_of(const std::string& program) {
    std::ifstream file(program, std::ios::binary);
    if (!file) throw Error("Cannot read " + printable(program) + ".");
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (bytes.find("list-test-cases") != std::string::npos) return TestFramework::Doctest;
    // The second is what a program refers to that has GoogleTest as a library.
    for (const char* mark : {"gtest_list_tests", "InitGoogleTest"}) {
        if (bytes.find(mark) != std::string::npos) return TestFramework::GoogleTest;
    }
    return std::nullopt;
}

std::vector<std::string> listed_tests(TestFramework framework, const std::string& list) {
    std::vector<std::string> tests;
    if (framework == TestFramework::Doctest) {
        // Names stand between two rulers.
        bool inside = false;
        for (const std::string& line : lines_of(list)) {
            if (line.starts_with("=====")) {
                if (inside) break;
                inside = true;
            } else if (inside && !trimmed(line).empty()) {
                tests.push_back(line);
            }
        }
        return tests;
    }
    std::string suite;
    for (const std::string& line : lines_of(list)) {
        const std::string name = trimmed(line.substr(0, line.find('#')));
        if (name.empty()) continue;
        if (line.front() != ' ') {
            suite = name.ends_with('.') ? name : "";  // anything else is main's own chatter
        } else if (!suite.empty() && name.find("DISABLED_") == std::string::npos &&
                   suite.find("DISABLED_") == std::string::npos) {
            tests.push_back(suite + name);
        }
    }
    return tests;
}

std::vector<std::string> filter_options(TestFramework framework, const std::string& test) {
    if (framework == TestFramework::GoogleTest) return {"--gtest_filter=" + test};
    std::string option = "--test-case=";
    for (const char letter : test) {
        if (letter == ',' || letter == '\\') option += '\\';  // a comma would begin another filter
        option += letter;
    }
    // doctest takes whoever traces it for a debugger, and stops there at a failure.
    return {option, "--no-breaks=true"};
}

std::string failed_assertion(TestFramework framework, const std::string& output) {
    const std::vector<std::string> lines = lines_of(output);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool is_doctest = framework == TestFramework::Doctest;
        const bool fails = is_doctest ? lines[i].find(": ERROR: ") != std::string::npos ||
                                            lines[i].find(": FATAL ERROR: ") != std::string::npos
                                      : lines[i].ends_with(": Failure");
        if (!fails) continue;
        std::string message = trimmed(lines[i]);
        // What is compared follows, up to an empty line or the framework's next word.
        for (std::size_t next = i + 1; next < lines.size() && next <= i + 8; ++next) {
            const std::string more = trimmed(lines[next]);
            if (more.empty() || more.starts_with("[") || more.starts_with("====")) break;
            message += " " + more;
        }
        return message;
    }
    return "";
}

std::vector<RunSummary> explore_each_test(const ExploreOptions& options,
                                          const std::function<RunSummary(ExploreOptions)>& explore_program) {
    const std::string& program = options.command.front();
    const std::optional<TestFramework> framework = framework_of(program);
    if (!framework) {
        throw Error(printable(program) +
                    " is made with neither doctest nor GoogleTest; explore it without --each-test.");
    }
    const std::vector<std::string> tests = listed_tests(*framework, list_of(program, *framework));
    if (tests.empty()) throw Error(printable(program) + " lists no test cases.");
    std::vector<RunSummary> runs;
    for (const std::string& test : tests) {
        if (InterruptGuard::was_interrupted()) break;
        ExploreOptions one = options;
        one.name = test;
        one.brief = true;
        const std::vector<std::string> filter = filter_options(*framework, test);
        one.command.insert(one.command.begin() + 1, filter.begin(), filter.end());
        one.traces.path =
            (std::filesystem::path(options.traces.path) / folder_name(test, runs.size() + 1)).string();
        one.oracle.failure_words = [framework](const std::string& output) {
            return failed_assertion(*framework, output);
        };
        RunSummary run;
        try {
            run = explore_program(one);
        } catch (const Error& error) {
            describe_run(one, run);
            run.error = error.what();
            run.exit_code = static_cast<int>(ExitCode::CannotDo);
        }
        print_row(run);
        runs.push_back(std::move(run));
    }
    return runs;
}

}  // namespace coopcheck::cmd
