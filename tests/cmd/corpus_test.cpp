// The corpus: the part of corpus/manifest.json that is quick. scripts/nightly runs all of it.
#include "tests/support/corpus.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/cmd/corpus_checks.hpp"

using namespace coopcheck::testing;

namespace {

const std::vector<std::string> none;

std::vector<CorpusEntry> entries() { return read_corpus(COOPCHECK_CORPUS_SOURCE_FOLDER); }

/// The entries whose programs are in this folder, and that coopcheck is able to find out about.
std::vector<CorpusEntry> entries_in(const std::string& folder) {
    std::vector<CorpusEntry> chosen = entries();
    std::erase_if(chosen, [&](const CorpusEntry& entry) { return !entry.program.starts_with(folder + "/"); });
    REQUIRE(!chosen.empty());
    return chosen;
}

void check_quick_part(const std::string& folder) {
    for (const CorpusEntry& entry : entries_in(folder)) {
        if (!entry.needs.empty()) continue;
        for (const Words& arguments : entry.quick) {
            const CorpusRun run = check_broken(entry, arguments);
            CAPTURE(run.command);
            CHECK(run.complaints == none);
        }
        for (const Words& arguments : entry.harmless) {
            const CorpusRun run = check_harmless(entry, arguments);
            CAPTURE(run.command);
            CHECK(run.complaints == none);
        }
    }
}

void check_fixed_programs(const std::string& folder) {
    for (const CorpusEntry& entry : entries_in(folder)) {
        if (!entry.fixed) continue;
        const CorpusRun run = check_fixed(entry, entry.fixed->all_schedules);
        CAPTURE(run.command);
        CHECK(run.complaints == none);
    }
}

}  // namespace

TEST_SUITE("corpus") {
    TEST_CASE("every program of the corpus is in its manifest") {
        std::set<std::string> listed;
        for (const CorpusEntry& entry : entries()) {
            listed.insert(entry.program);
            CHECK(!entry.from.empty());
        }
        std::vector<std::string> present = corpus_sources(COOPCHECK_CORPUS_SOURCE_FOLDER);
        // The first programs have their fixed twins in files of their own.
        std::erase_if(present, [](const std::string& program) { return program.ends_with("_fixed"); });
        CHECK(std::vector<std::string>(listed.begin(), listed.end()) == present);
    }

    TEST_CASE(
        "the broken programs after ExitBlock are found out, with the fewest preemptions, at their line") {
        check_quick_part("exitblock");
    }
    TEST_CASE("the broken programs after ConTest are found out, with the fewest preemptions, at their line") {
        check_quick_part("contest");
    }
    TEST_CASE("the broken programs after CHESS are found out, with the fewest preemptions, at their line") {
        check_quick_part("chess");
    }
    TEST_CASE(
        "the broken programs after Cooperari are found out, with the fewest preemptions, at their line") {
        check_quick_part("cooperari");
    }
    TEST_CASE("the broken programs after rstest are found out, with the fewest preemptions, at their line") {
        check_quick_part("rstest");
    }
    TEST_CASE("our own broken programs are found out, with the fewest preemptions, at their line") {
        check_quick_part("beyond");
    }

    TEST_CASE("the fixed programs after ExitBlock and ConTest are proved clean") {
        check_fixed_programs("exitblock");
        check_fixed_programs("contest");
    }
    TEST_CASE("the fixed programs after CHESS, Cooperari and rstest are proved clean") {
        check_fixed_programs("chess");
        check_fixed_programs("cooperari");
        check_fixed_programs("rstest");
    }
    TEST_CASE("our own fixed programs are proved clean") { check_fixed_programs("beyond"); }
}
