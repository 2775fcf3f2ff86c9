// Pages that stop the program once in a step.
#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/tracer/driver.hpp"
#include "tracer/traced_execution.hpp"

using namespace coopcheck;
using namespace coopcheck::tracer;
using namespace coopcheck::tracer::test;

namespace {

/// Of one step: the pages that were read and those that were written.
struct Pages {
    std::map<std::uint64_t, unsigned> read;
    std::map<std::uint64_t, unsigned> written;
    ThreadId thread;
};

/// Pages that more than one thread accesses: what only one does is nobody else's business.
std::set<std::uint64_t> shared_pages(const std::vector<Pages>& steps) {
    std::map<std::uint64_t, std::set<ThreadId>> threads;
    for (const Pages& step : steps) {
        for (const auto& [page, times] : step.read) threads[page].insert(step.thread);
        for (const auto& [page, times] : step.written) threads[page].insert(step.thread);
    }
    std::set<std::uint64_t> shared;
    for (const auto& [page, all] : threads) {
        if (all.size() > 1) shared.insert(page);
    }
    return shared;
}

/// A schedule that gives every thread its turn, watched; what each step has touched.
std::vector<Pages> watch(TracedExecution& execution, Watching watching) {
    execution.set_watching(watching);
    std::vector<Pages> steps;
    do {
        steps.clear();
        execution.restart();
        std::size_t turn = 0;
        // A stack may be used again, by another thread: that is another page. When its life began is where
        // the offset in it would be.
        std::map<std::uint64_t, std::uint64_t> lives;
        while (!execution.parked().empty()) {
            std::vector<Choice> possible;
            for (const ParkedThread& entry : execution.parked()) {
                const auto variants = execution.model().options(entry.thread, entry.operation);
                if (!variants.empty()) possible.push_back({entry.thread, variants.front()});
            }
            if (possible.empty()) break;
            const Choice next = possible[turn++ % possible.size()];
            const StepResult step = execution.step(next.thread, next.variant);
            Pages& pages = steps.emplace_back();
            pages.thread = next.thread;
            for (const Access& access : step.accesses) {
                const std::uint64_t begin = access.location.value();
                if (access.fresh) {
                    // Not what malloc gives, which shares its pages.
                    constexpr std::uint64_t size_of_a_stack = 1U << 20U;
                    const std::uint64_t end = access.size < size_of_a_stack ? 0 : begin + access.size;
                    for (std::uint64_t at = page_of(begin); at < end; at += memory_page)
                        lives[at] = steps.size() % memory_page;
                    continue;
                }
                for (std::uint64_t at = page_of(begin); at < begin + access.size; at += memory_page) {
                    const auto life = lives.find(at);
                    const std::uint64_t page = at + (life == lives.end() ? 0 : life->second);
                    // The first to write may be the first of all.
                    if (!access.write || access.also_read) pages.read[page] += 1;
                    if (access.write) pages.written[page] += 1;
                }
            }
        }
    } while (execution.watched_too_late());
    return steps;
}

}  // namespace

TEST_CASE("a page is told once for reading and once for writing in a step, and none is left out") {
    std::size_t compared = 0;
    for (const std::string& program : steady_programs()) {
        CAPTURE(program);
        TracedExecution execution({.program = target(program), .input = ""},
                                  {.racy_points = RacyPoints::Breakpoints});
        // Which pages are shared is learnt by watching them, in either way.
        static_cast<void>(watch(execution, Watching::Every));
        const std::vector<Pages> touched = watch(execution, Watching::FirstTouch);
        const std::vector<Pages> accessed = watch(execution, Watching::Every);
        REQUIRE(touched.size() == accessed.size());
        const std::set<std::uint64_t> shared = shared_pages(accessed);
        for (std::size_t nth = 0; nth < touched.size(); ++nth) {
            CAPTURE(nth);
            for (const auto& [page, times] : touched[nth].read) CHECK(times <= 2);
            for (const auto& [page, times] : touched[nth].written) CHECK(times == 1);
            for (const auto& [page, times] : accessed[nth].written) {
                if (!shared.contains(page)) continue;
                const std::uint64_t place = page;  // clang does not capture what a declaration takes apart
                CAPTURE(place);
                CHECK(touched[nth].written.contains(page));
                compared += 1;
            }
            for (const auto& [page, times] : accessed[nth].read) {
                if (!shared.contains(page)) continue;
                const std::uint64_t place = page;  // clang does not capture what a declaration takes apart
                CAPTURE(place);
                CHECK((touched[nth].read.contains(page) || touched[nth].written.contains(page)));
                compared += 1;
            }
        }
    }
    CHECK(compared > 100);
}
