// What watched programs are seen to do.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tracer/driver.hpp"
#include "tracer/traced_execution.hpp"

using namespace coopcheck;
using namespace coopcheck::tracer;
using namespace coopcheck::tracer::test;

namespace {

/// In words, so that two can be compared: "g+12 4 rw locked".
using Stream = std::vector<std::string>;

std::string access_in_words(char area, std::uint64_t offset, std::uint64_t size, const char* how) {
    return std::string(1, area) + "+" + std::to_string(offset) + " " + std::to_string(size) + " " + how;
}

/// A random script for tests/targets/accesses.c and what it does.
struct Script {
    std::string text;
    struct Touch {
        char area;
        std::uint64_t offset;
        std::uint64_t size;
        std::string how;
    };
    std::vector<Touch> touches;

    /// Memory that is accessed by locked instructions is taken for atomic in whatever way it is accessed.
    [[nodiscard]] Stream expected() const {
        Stream stream;
        for (const Touch& touch : touches) {
            const bool is_atomic = std::any_of(touches.begin(), touches.end(), [&](const Touch& other) {
                return other.how == "rw locked" && other.area == touch.area && touch.offset >= other.offset &&
                       touch.offset < other.offset + other.size;
            });
            const std::string how = touch.how == "rw" && is_atomic ? "rw locked" : touch.how;
            stream.push_back(access_in_words(touch.area, touch.offset, touch.size, how.c_str()));
        }
        return stream;
    }

    void add(char area, const std::string& operation, std::uint64_t offset, std::uint64_t other) {
        text += text.empty() ? "" : ",";
        text += area + operation + ":" + std::to_string(offset) + ":" + std::to_string(other);
    }
};

constexpr std::array all_areas{'g', 'h', 'm', 's'};
constexpr std::uint64_t area_size = std::uint64_t{3} * 4096;

Script random_script(unsigned seed, std::size_t length) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint64_t limit) {
        return std::uniform_int_distribution<std::uint64_t>(0, limit - 1)(random);
    };
    std::vector<std::uint64_t> sizes{1, 2, 4, 8, 16};
    if (__builtin_cpu_supports("avx")) sizes.push_back(32);
    if (__builtin_cpu_supports("avx512f")) sizes.push_back(64);
    Script script;
    for (std::size_t nth = 0; nth < length; ++nth) {
        const char area = all_areas[below(all_areas.size())];
        // Every other one near a border of two pages.
        const std::uint64_t at = below(2) == 0 ? 4096 - 64 + below(128) : 512 + below(area_size - 1024);
        const std::uint64_t other = 512 + below(area_size - 1024);
        const auto expect = [&](std::uint64_t offset, std::uint64_t size, const char* how) {
            script.touches.push_back({area, offset, size, how});
        };
        const auto name = [](char letter, std::uint64_t size) { return letter + std::to_string(size); };
        switch (below(11)) {
            case 0: {
                const std::uint64_t size = sizes[below(sizes.size())];
                script.add(area, name('r', size), at, 0);
                expect(at, size, "r");
                break;
            }
            case 1: {
                const std::uint64_t size = sizes[below(sizes.size())];
                script.add(area, name('w', size), at, 0);
                expect(at, size, "w");
                break;
            }
            case 2: {
                const std::uint64_t size = sizes[below(4)];
                script.add(area, name('u', size), at, 0);
                expect(at, size, "rw");
                break;
            }
            case 3: {
                const std::uint64_t size = std::uint64_t{4} << below(3);
                const std::uint64_t aligned = at & ~std::uint64_t{15};
                script.add(area, name('l', size), aligned, 0);
                expect(aligned, size, "rw locked");
                break;
            }
            case 4:
                script.add(area, "x4", at & ~std::uint64_t{3}, 0);
                expect(at & ~std::uint64_t{3}, 4, "rw locked");
                break;
            case 5: {
                const std::uint64_t size = 1 + below(300);
                script.add(area, name('c', size), at, other);
                expect(at, size, "r");
                expect(other, size, "w");
                break;
            }
            case 6:
                script.add(area, "q8", at, other);
                expect(at, 8, "r");
                expect(other, 8, "w");
                break;
            case 7: {
                const std::uint64_t count = 1 + below(40);
                script.add(area, name('t', count), at, 0);
                expect(at - 4 * (count - 1), 4 * count, "w");
                break;
            }
            case 8:
                script.add(area, "p8", at, other);
                expect(at, 8, "r");
                expect(other, 8, "w");
                break;
            case 9:
                script.add(area, "b4", at, 0);
                expect(at + 4, 4, "rw");
                break;
            default:
                script.add(area, "n1", at, 0);
                break;
        }
    }
    return script;
}

/// What the watched program was seen to do to its areas.
Stream watch(const std::string& script) {
    TracedExecution execution({.program = target("accesses"), .arguments = {script}, .input = ""},
                              {.watch_unshared = true});
    execution.set_watching(Watching::Every);
    Stream stream;
    do {
        stream.clear();
        execution.restart();
        std::vector<Access> accesses;
        for (;;) {
            const auto parked = execution.parked();
            ThreadId next;
            for (const ParkedThread& entry : parked) {
                if (execution.model().enabled(entry.thread, entry.operation)) next = entry.thread;
            }
            const StepResult step = execution.step(next, Variant::normal());
            if (next != main_thread)
                accesses.insert(accesses.end(), step.accesses.begin(), step.accesses.end());
            if (step.end) break;
        }
        std::istringstream words(execution.standard_output());
        std::array<std::uint64_t, 4> bases{};
        for (std::uint64_t& base : bases) words >> std::hex >> base;
        for (const Access& access : accesses) {
            if (access.fresh || access.freed) continue;
            for (std::size_t nth = 0; nth < bases.size(); ++nth) {
                const std::uint64_t address = access.location.value();
                if (address < bases[nth] || address >= bases[nth] + area_size) continue;
                std::string how = !access.write ? "r" : access.also_read ? "rw" : "w";
                if (access.atomic && access.also_read) how += " locked";
                stream.push_back(
                    access_in_words(all_areas[nth], address - bases[nth], access.size, how.c_str()));
            }
        }
    } while (execution.watched_too_late());
    return stream;
}

}  // namespace

TEST_CASE("every access of a generated program is seen, in order, with its size and direction") {
    for (unsigned seed = 1; seed <= 8; ++seed) {
        CAPTURE(seed);
        const Script script = random_script(seed, 40);
        CAPTURE(script.text);
        CHECK(watch(script.text) == script.expected());
    }
}

TEST_CASE("a watched program writes and returns what it does without coopcheck, under any schedule") {
    for (const std::string& program : steady_programs()) {
        CAPTURE(program);
        const NativeRun native = run_natively(target(program));
        TracedExecution execution({.program = target(program), .input = ""}, {});
        execution.set_watching(Watching::Every);
        std::vector<Policy> policies{first_enabled(), round_robin(), at_random(1)};
        for (const Policy& policy : policies) {
            execution.restart();
            const Record record = drive(execution, policy);
            REQUIRE_FALSE(record.deadlock);
            REQUIRE(record.end);
            CHECK(record.end->kind == RunEnd::Kind::ProcessExit);
            CHECK(record.end->code == native.exit_code);
            CHECK(record.standard_output == native.standard_output);
        }
    }
}

TEST_CASE("what the kernel and libc do to memory for the program is seen, with size and direction") {
    TracedExecution execution({.program = target("kernel_buffers"), .input = ""}, {.watch_unshared = true});
    execution.set_watching(Watching::Every);
    std::vector<std::string> seen;
    do {
        seen.clear();
        execution.restart();
        for (;;) {
            ThreadId next;
            for (const ParkedThread& entry : execution.parked()) {
                if (execution.model().enabled(entry.thread, entry.operation)) next = entry.thread;
            }
            const StepResult step = execution.step(next, Variant::normal());
            for (const Access& access : step.accesses) {
                if (next == main_thread || access.fresh || access.freed) continue;
                std::ostringstream words;
                words << "0x" << std::hex << access.location.value() << std::dec << ' ' << access.size << ' '
                      << (access.write ? 'w' : 'r');
                seen.push_back(words.str());
            }
            if (step.end) break;
        }
    } while (execution.watched_too_late());
    std::istringstream lines(execution.standard_output());
    auto from = seen.begin();
    std::size_t expected = 0;
    for (std::string line; std::getline(lines, line) && line != "text"; ++expected) {
        CAPTURE(line);
        from = std::find(from, seen.end(), line);
        CHECK(from != seen.end());
        if (from == seen.end()) from = seen.begin();
    }
    CHECK(expected == 12);
}
