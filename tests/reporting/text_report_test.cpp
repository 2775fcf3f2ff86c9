#include "reporting/text_report.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "reporting/columns.hpp"
#include "reporting/dot.hpp"
#include "reporting/relevant_steps.hpp"
#include "reporting/step_words.hpp"
#include "tests/reporting/bank_trace.hpp"
#include "tests/reporting/sample_trace.hpp"

namespace coopcheck::testing {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        found += 1;
    }
    return found;
}

bool contains(const std::string& text, const std::string& part) { return count(text, part) > 0; }

}  // namespace

TEST_SUITE("text report") {
    TEST_CASE("each thread has a column, in the order of their names, and a step stands in its thread's") {
        const std::vector<std::string> lines = lines_of(interleaving(bank_trace(), {.width = 120}));
        REQUIRE(lines.size() == 7);  // a heading, five steps that matter, what is waited for
        const std::size_t first = lines[0].find("T0.1 lambda");
        const std::size_t second = lines[0].find("T0.2 lambda");
        CHECK(lines[0].find("T0 main") < first);
        CHECK(first < second);
        CHECK(lines[3].find("lock a.mutex") == first);
        CHECK(lines[5].find("lock b.mutex") == second);
        CHECK(lines[6].find("waits: b.mutex") == first);
        CHECK(lines[6].find("waits: a.mutex") == second);
        CHECK(contains(lines[3], "bank.cpp:14"));
    }

    TEST_CASE("the preemption and the decisive step are marked") {
        for (const std::string& line : lines_of(interleaving(bank_trace(), {.width = 120}))) {
            CAPTURE(line);
            CHECK(contains(line, "*") == contains(line, "starts"));
            CHECK(contains(line, "!") == contains(line, "lock b.mutex"));
        }
    }

    TEST_CASE("steps that do not matter are left out unless all are wanted") {
        Trace trace = bank_trace();
        CHECK(relevant_steps(trace) == std::vector<bool>{true, true, false, true, true, true});
        CHECK(lines_of(interleaving(trace, {.width = 120, .all_steps = true})).size() == 1 + 6 + 1);
        // A lock that has nothing to do with the deadlock.
        trace.steps.insert(trace.steps.begin() + 3,
                           {.thread = "T0.1", .operation = {.kind = OpKind::MutexLock, .object = "log"}});
        trace.decision.reset();
        CHECK(relevant_steps(trace) == std::vector<bool>{true, true, false, false, true, true, true});
    }

    TEST_CASE("a terminal that is too narrow for columns gets a list") {
        const std::string text = interleaving(bank_trace(), {.width = 50});
        CHECK(contains(text, "T0.1  lock a.mutex  at bank.cpp:14"));
        CHECK(!contains(text, "T0.1 lambda"));
    }

    TEST_CASE("no line of the columns is wider than the terminal") {
        for (const std::size_t width : {80U, 100U, 120U, 200U}) {
            for (const std::string& line : lines_of(interleaving(bank_trace(), {.width = width}))) {
                CHECK(display_width(line) <= width);
            }
        }
    }

    TEST_CASE("of too many steps the first and the last are shown, with how many are missing") {
        Trace trace = bank_trace();
        trace.decision.reset();
        const TraceStep again = trace.steps[3];
        trace.steps.insert(trace.steps.begin() + 4, 1000, again);
        const std::string text = interleaving(trace, {.width = 120});
        CHECK(lines_of(text).size() == 1 + 60 + 1 + 1);
        CHECK(contains(text, "... 945 more (-v shows all)"));  // 1005 that matter
        CHECK(lines_of(interleaving(trace, {.width = 120, .all_steps = true})).size() == 1 + 1006 + 1);
    }

    TEST_CASE("the report tells what, where, how it ended, what was decided and what was written") {
        const std::string text = report(bank_trace(), {.width = 120});
        CHECK(lines_of(text).front() == "deadlock (cycle), 1 preemption");
        CHECK(contains(
            text,
            "  T0.1 holds a.mutex (since step 4) and waits in pthread_mutex_lock(b.mutex), for T0.2  "
            "at transfer bank.cpp:15\n      15 |     const std::lock_guard destination(to.mutex);\n"));
        CHECK(contains(text, "  cycle: T0.2 -> a.mutex -> T0.1 -> b.mutex -> T0.2\n"));
        CHECK(contains(text, "  it needs this preemption: no schedule with fewer has it\n"));
        CHECK(contains(text, "  decided at step 6: with T0.1 going on instead (lock b.mutex)"));
        CHECK(contains(text, "  output of the program in this schedule:\n    hello\n"));
        CHECK(!contains(text, "\x1b"));
    }

    TEST_CASE("colours are there only when wanted, and change nothing else") {
        const std::string plain = report(bank_trace(), {.width = 120});
        std::string colored = report(bank_trace(), {.width = 120, .color = true});
        CHECK(contains(colored, "\x1b[1;31mdeadlock (cycle)\x1b[0m"));
        for (std::size_t at = colored.find('\x1b'); at != std::string::npos; at = colored.find('\x1b')) {
            colored.erase(at, colored.find('m', at) - at + 1);
        }
        // Blanks before a colour's end cannot be trimmed.
        const auto trimmed = [](const std::string& text) {
            std::string all;
            for (std::string line : lines_of(text)) {
                line.erase(line.find_last_not_of(' ') + 1);
                all += line + "\n";
            }
            return all;
        };
        CHECK(trimmed(colored) == plain);
    }

    TEST_CASE("a trace from elsewhere cannot write to the terminal as it likes") {
        Trace trace = bank_trace();
        const std::string evil = "\x1b[31m\x07";
        trace.labels["T0/stack-0x150"] = evil;
        trace.places[0].lines[0] = evil;
        trace.output = evil;
        trace.finding.waits[0].source = evil;
        trace.stacks[0] = {evil};
        for (const bool all : {false, true}) {
            CHECK(!contains(report(trace, {.width = 120, .all_steps = all}), "\x1b"));
        }
        CHECK(!contains(wait_graph(trace), "\x1b"));
    }

    TEST_CASE("a signal for which nobody waits says so") {
        const Trace trace;
        TraceStep step{.thread = "T0", .operation = {.kind = OpKind::CondSignal, .object = "c"}};
        CHECK(short_words(trace, step) == "signal c (nobody waits)");
        step.variant = {.kind = Variant::Kind::Wake, .threads = {"T0.1"}};
        CHECK(short_words(trace, step) == "signal c wakes T0.1");
    }

    TEST_CASE("a race is told with both accesses, what they are about, and that either can come first") {
        const std::string text = report(race_trace(), {.width = 120});
        CHECK(text.starts_with("race on Node.value between T0.1 and T0.2, 2 preemptions\n"));
        CHECK(contains(text, "  T0.1 writes 4 bytes (0x0 -> 0x2a), holding list.lock  at push list.c:10\n"));
        CHECK(contains(text, "      10 | node->value = 42;\n"));
        CHECK(contains(text, "      instruction list+0x1189: mov dword ptr [rax], 0x2a\n"));
        CHECK(contains(text, "      called from fill list.c:14\n"));
        CHECK(contains(text, "  T0.2 reads 4 bytes (0x2a), with no lock  at sum list.c:20\n"));
        CHECK(
            contains(text, "  the memory is 8 bytes into the 24 bytes that T0 allocated at make list.c:5\n"));
        CHECK(contains(text, "next: write Node.value"));
        CHECK(contains(text, "next: read Node.value"));
        CHECK(contains(text, "either can come first"));
        Trace apart = race_trace();
        apart.finding.race->apart = true;
        apart.finding.race->second.freed = true;
        CHECK_FALSE(contains(report(apart), "next:"));
        CHECK(contains(report(apart), "T0.2 frees 4 bytes, with no lock"));
    }

    TEST_CASE("a thread that ends with a lock is told where it took it") {
        Trace trace = race_trace();
        trace.finding = {.kind = FindingKind::Misuse, .thread = "T0.1", .misuse = Misuse::ExitHoldingLock};
        trace.finding.operation = TraceOperation{.kind = OpKind::ThreadExit};
        CHECK(contains(report(trace), "  T0.1 holds list.lock since step 2  at push list.c:9\n"));
    }

    TEST_CASE("the graph of a deadlock has an edge for each wait and each lock held") {
        const std::string graph = wait_graph(bank_trace());
        CHECK(graph.starts_with("digraph waits {\n"));
        CHECK(contains(graph, "\"T0.1\" -> \"object T0/stack-0x180\" [style=dashed"));
        CHECK(contains(graph, "\"object T0/stack-0x180\" -> \"T0.2\" [label=\"held since step 6\"]"));
        CHECK(count(graph, " -> ") == 4);
        CHECK(contains(graph, "label=\"a.mutex\""));
    }
}

}  // namespace coopcheck::testing
