// The exact number of schedules that ExitBlock without pruning has to run for programs of the corpus, derived
// by hand in corpus/manifest.json.
#include <doctest/doctest.h>

#include <string>

#include "explorer/explore.hpp"
#include "tests/support/corpus.hpp"
#include "tracer/traced_execution.hpp"

using namespace coopcheck;
using coopcheck::testing::CorpusEntry;
using coopcheck::testing::read_corpus;

TEST_CASE("ExitBlock runs as many schedules of programs of the corpus as were counted by hand") {
    std::size_t counted = 0;
    for (const CorpusEntry& entry : read_corpus(COOPCHECK_CORPUS_SOURCE_FOLDER)) {
        if (!entry.exitblock) continue;
        counted += 1;
        CAPTURE(entry.exitblock->program);
        tracer::LaunchOptions launch;
        launch.program = std::string(COOPCHECK_CORPUS_FOLDER) + "/" + entry.exitblock->program;
        launch.arguments = entry.exitblock->arguments;
        launch.input = "";
        tracer::TracedExecution execution(launch, {});
        // The paper's algorithm: nothing is pruned, and nested locks do not end blocks.
        const SearchResult result =
            explore(execution, {.pruning = Pruning::None, .nested_locks = NestedLocks::Predict});
        CHECK(result.findings.empty());
        CHECK(result.exhausted);
        CHECK(result.counts.complete == entry.exitblock->schedules);
        CHECK(result.counts.paths() == entry.exitblock->schedules);
    }
    CHECK(counted > 0);
}
