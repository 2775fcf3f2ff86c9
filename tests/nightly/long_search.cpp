// long_search STEPS [SECONDS]: searches a real program for so many steps, for so long at most, and looks
// whether our own memory, child processes and open files stay as they are. Says what grew and exits with 1 if
// something did.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "explorer/explore.hpp"
#include "tracer/traced_execution.hpp"

namespace {

using namespace coopcheck;
using Clock = std::chrono::steady_clock;

/// What this process has at a moment.
struct Holdings {
    std::size_t resident_kb = 0;
    std::size_t children = 0;
    std::size_t files = 0;
};

std::size_t resident_kb() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        std::size_t value = 0;
        if (word == "VmRSS:" && status >> value) return value;
    }
    return 0;
}

std::size_t count_children() {
    const std::string us = std::to_string(::getpid());
    std::size_t count = 0;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream stat(entry.path() / "stat");
        std::string line;
        std::getline(stat, line);
        // "PID (NAME) STATE PARENT ...", where the name may contain anything.
        const std::size_t name_end = line.rfind(')');
        if (name_end == std::string::npos || name_end + 4 >= line.size()) continue;
        const std::size_t parent = name_end + 4;
        count += line.substr(parent, line.find(' ', parent) - parent) == us ? 1 : 0;
    }
    return count;
}

Holdings look() {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return {resident_kb(), count_children(),
            static_cast<std::size_t>(std::distance(begin(files), end(files)))};
}

std::string to_text(const Holdings& holdings) {
    return std::to_string(holdings.resident_kb) + " kB, " + std::to_string(holdings.children) +
           " children, " + std::to_string(holdings.files) + " files";
}

int fail(const std::string& why) {
    std::cout << "long_search: " << why << '\n';
    return 1;
}

int run(std::size_t steps, std::chrono::seconds limit) {
    const auto started = Clock::now();
    const Holdings before = look();
    constexpr std::size_t parts = 20;
    const tracer::TracedOptions traced;
    std::vector<Holdings> seen;
    std::size_t made = 0;
    {
        tracer::TracedExecution execution({.program = COOPCHECK_MANY_THREADS, .input = ""}, traced);
        // Without a bound, depth first: what the search itself remembers is no more than one schedule's
        // worth.
        SearchOptions options;
        options.budget.steps = steps;
        options.budget.interruption = [&]() -> std::optional<std::string> {
            if (execution.counts().steps >= (seen.size() + 1) * (steps / parts)) seen.push_back(look());
            if (Clock::now() - started > limit) return "the time is up";
            return std::nullopt;
        };
        const SearchResult result = explore(execution, options);
        made = execution.counts().steps;
        if (!result.findings.empty()) return fail("something was found in a program without mistakes");
        if (result.exhausted) return fail("the program has too few schedules for this");
    }
    const Holdings after = look();
    if (seen.size() < 4) return fail("too few steps in the time given: " + std::to_string(made));
    // The first half is for growing: caches, the checkpoints up to their limit, the allocator's pools.
    const auto half = seen.begin() + static_cast<std::ptrdiff_t>(seen.size() / 2);
    const auto most = [](auto first, auto last, auto member) {
        std::size_t value = 0;
        for (auto one = first; one != last; ++one) value = std::max(value, (*one).*member);
        return value;
    };
    const std::size_t early_kb = most(seen.begin(), half, &Holdings::resident_kb);
    const std::size_t late_kb = most(half, seen.end(), &Holdings::resident_kb);
    std::cout << made << " steps; at first " << to_text(before) << "; half-way " << to_text(*half)
              << "; at last " << to_text(seen.back()) << "; afterwards " << to_text(after) << '\n';
    // Not to be taken for growth: fragmentation.
    constexpr std::size_t tolerance_kb = 8 * 1024;
    if (late_kb > early_kb + early_kb / 10 + tolerance_kb) return fail("memory grows");
    // Those of the checkpoints, the root, and the one that runs.
    const std::size_t most_children = traced.limits.processes + 2;
    if (most(seen.begin(), seen.end(), &Holdings::children) > most_children)
        return fail("processes are left behind");
    if (most(half, seen.end(), &Holdings::files) > most(seen.begin(), half, &Holdings::files)) {
        return fail("open files grow");
    }
    if (after.children != before.children) return fail("processes are left at the end");
    if (after.files != before.files) return fail("files are left open at the end");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3) {
        std::cerr << "long_search STEPS [SECONDS]\n";
        return 2;
    }
    constexpr long day = 24L * 60 * 60;
    try {
        return run(std::strtoull(argv[1], nullptr, 10),
                   std::chrono::seconds(argc > 2 ? std::strtol(argv[2], nullptr, 10) : day));
    } catch (const std::exception& error) {
        return fail(error.what());
    }
}
