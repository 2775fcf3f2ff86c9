// Every primitive of pthreads, C11 and C++, misused: tests/targets/primitives. The broken program of each
// pair must be found out, at the line that says BUG, and the fixed one must come out clean and completely
// explored.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "explorer/explore.hpp"
#include "tests/tracer/driver.hpp"
#include "tracer/traced_execution.hpp"

using namespace coopcheck;
using namespace coopcheck::tracer;
using namespace coopcheck::tracer::test;

namespace {

struct Pair {
    const char* source;
    FindingKind kind;
    std::optional<Misuse> misuse = std::nullopt;
    ModelOptions model = {};
    /// Even the fixed one may go on for ever (std::lock gives up and tries again): only a bound makes an end.
    bool is_endless = false;
};

constexpr auto deadlock = FindingKind::Deadlock;
constexpr auto assertion = FindingKind::Assertion;
constexpr auto crash = FindingKind::Crash;
constexpr auto misused = FindingKind::Misuse;
constexpr ModelOptions with_timeouts{.explore_timeouts = true};

const std::vector<Pair> locks{
    {"mutex_normal.c", assertion},
    {"mutex_recursive.c", deadlock},
    {"mutex_errorcheck.c", assertion},
    {"mutex_robust.c", assertion},
    {"mutex_trylock.c", misused, Misuse::UnlockByStranger},
    {"mutex_timedlock.c", misused, Misuse::UnlockByStranger},
    {"mutex_destroy.c", misused, Misuse::UseAfterDestroy},
    {"rwlock.c", assertion},
    {"rwlock_try.c", misused, Misuse::UnlockByStranger},
    {"rwlock_timed.c", misused, Misuse::UnlockByStranger},
    {"rwlock_prefer_writer.c", deadlock},
    {"spin_lock.c", deadlock},
    {"spin_trylock.c", misused, Misuse::UnlockByStranger},
    {"stream_lock.c", deadlock},
};

const std::vector<Pair> waits{
    {"condition_wait.c", assertion},
    {"condition_timedwait.c", assertion, std::nullopt, with_timeouts},
    {"condition_clockwait.c", assertion},
    {"condition_signal.c", deadlock},
    {"condition_destroy.c", misused, Misuse::DestroyWhileInUse},
    {"semaphore.c", assertion},
    {"semaphore_getvalue.c", deadlock},
    {"semaphore_timed.c", assertion},
    {"semaphore_open.c", assertion},
    {"semaphore_unlink.c", deadlock},
    {"semaphore_close.c", misused, Misuse::UseAfterDestroy},
    {"barrier.c", deadlock},
    {"once.c", deadlock},
    {"futex.c", deadlock},
    {"sleep.c", assertion},
    {"yield.c", assertion},
};

const std::vector<Pair> threads{
    {"join.c", misused, Misuse::JoinTwice},
    {"detach.c", misused, Misuse::JoinDetached},
    {"tryjoin.c", assertion},
    {"timedjoin.c", assertion},
    {"cancel.c", deadlock},
    {"cancel_condition.c", misused, Misuse::SelfDeadlock},
    {"testcancel.c", assertion},
    {"thread_data.c", deadlock},
    {"exit_handler.c", deadlock},
};

const std::vector<Pair> c11{
    {"c11_mutex.c", deadlock},
    {"c11_try.c", misused, Misuse::UnlockByStranger},
    {"c11_condition.c", deadlock},
    {"c11_timedwait.c", assertion},
    {"c11_once.c", deadlock},
    {"c11_thread_data.c", deadlock},
    {"c11_thread.c", misused, Misuse::JoinDetached},
    {"c11_sleep.c", assertion},
};

const std::vector<Pair> cpp_locks{
    {"std_mutex.cpp", assertion},
    {"std_recursive_mutex.cpp", deadlock},
    {"std_timed_mutex.cpp", misused, Misuse::UnlockByStranger},
    {"std_recursive_timed_mutex.cpp", assertion},
    {"std_shared_mutex.cpp", assertion},
    {"std_shared_timed_mutex.cpp", misused, Misuse::UnlockByStranger},
    {"std_scoped_lock.cpp", deadlock, std::nullopt, {}, true},
    {"std_call_once.cpp", assertion},
    {"std_static_local.cpp", deadlock},
    {"std_static_local_order.cpp", assertion},
};

const std::vector<Pair> cpp_waits{
    {"std_condition_wait.cpp", deadlock},
    {"std_condition_wait_for.cpp", assertion},
    {"std_condition_wait_until.cpp", assertion},
    {"std_condition_any.cpp", deadlock},
    {"std_latch.cpp", deadlock},
    {"std_barrier.cpp", deadlock},
    {"std_counting_semaphore.cpp", deadlock},
    {"std_binary_semaphore.cpp", deadlock},
    {"std_atomic_wait.cpp", deadlock},
    {"std_jthread.cpp", deadlock},
    {"std_promise.cpp", crash},
    {"std_broken_promise.cpp", crash},
    {"std_future_wait_for.cpp", assertion},
    {"std_packaged_task.cpp", crash},
    {"std_async.cpp", deadlock},
};

const std::vector<const std::vector<Pair>*> all_groups{&locks, &waits,     &threads,
                                                       &c11,   &cpp_locks, &cpp_waits};

const std::filesystem::path source_folder =
    std::filesystem::path(COOPCHECK_TARGETS_SOURCE_FOLDER) / "primitives";

/// "file:line" of the one line marked BUG.
std::string marked_place(const std::string& source) {
    std::ifstream file(source_folder / source);
    int number = 0;
    std::vector<int> marked;
    for (std::string line; std::getline(file, line);) {
        number += 1;
        if (line.ends_with("// BUG")) marked.push_back(number);
    }
    REQUIRE(marked.size() == 1);
    return source + ":" + std::to_string(marked.front());
}

/// As in cmd/explore_options.cpp: std::atomic::wait yields so often before it goes to sleep.
constexpr unsigned patience = 4;

SearchOptions unbounded() { return {.spin_patience = patience, .max_findings = 1}; }

SearchOptions within_two_preemptions() {
    return {.granularity = Granularity::Operations, .bound = 2, .spin_patience = patience, .max_findings = 1};
}

void check_broken(const Pair& pair, const std::string& program, const SearchOptions& options) {
    TracedExecution execution({.program = program, .input = ""}, {.model = pair.model});
    const SearchResult result = explore(execution, options);
    REQUIRE(result.findings.size() == 1);
    const Finding& finding = result.findings.front();
    CHECK(finding.kind == pair.kind);
    CHECK(finding.misuse == pair.misuse);
    CHECK(finding.confirmed);
    std::vector<std::string> places;
    if (finding.kind == deadlock) {
        for (const Wait& wait : finding.waits) places.push_back(execution.describe_site(wait.operation.site));
    } else {
        places.push_back(execution.describe_site(finding.operation.site));
    }
    const std::string expected = " " + marked_place(pair.source);
    std::string seen;
    for (const std::string& place : places) seen += place + "\n";
    CAPTURE(seen);
    CAPTURE(expected);
    CHECK(std::any_of(places.begin(), places.end(),
                      [&](const std::string& place) { return place.ends_with(expected); }));
}

void check_fixed(const Pair& pair, const std::string& program, const SearchOptions& options) {
    TracedExecution execution({.program = program, .input = ""}, {.model = pair.model});
    const SearchResult result = explore(execution, options);
    CHECK(result.findings.empty());
    CHECK(result.predicted.empty());
    CHECK(result.exhausted);
    CHECK(result.gaps.empty());
}

void check_pair(const Pair& pair, const std::string& suffix, const SearchOptions& options) {
    const std::string name = std::filesystem::path(pair.source).stem();
    check_broken(pair, target("primitives/" + name + "_broken" + suffix), options);
    if (pair.is_endless && !options.bound) return;
    check_fixed(pair, target("primitives/" + name + "_fixed" + suffix), options);
}

void check_both_ways(const std::vector<Pair>& pairs) {
    for (const Pair& pair : pairs) {
        SUBCASE(pair.source) {
            check_pair(pair, "", within_two_preemptions());
            check_pair(pair, "", unbounded());
        }
    }
}

}  // namespace

TEST_SUITE("primitives") {
    TEST_CASE("misused locks are found out, and the fixed programs are proved clean") {
        check_both_ways(locks);
    }

    TEST_CASE("misused waits are found out, and the fixed programs are proved clean") {
        check_both_ways(waits);
    }

    TEST_CASE("misused threads are found out, and the fixed programs are proved clean") {
        check_both_ways(threads);
    }

    TEST_CASE("misused C11 threads are found out, and the fixed programs are proved clean") {
        check_both_ways(c11);
    }

    TEST_CASE("misused locks of C++ are found out, and the fixed programs are proved clean") {
        check_both_ways(cpp_locks);
    }

    TEST_CASE("misused waits of C++ are found out, and the fixed programs are proved clean") {
        check_both_ways(cpp_waits);
    }

    TEST_CASE("programs that were linked statically and not optimized are found out at the same lines") {
        for (const std::vector<Pair>* group : all_groups) {
            for (const Pair& pair : *group) {
                SUBCASE(pair.source) { check_pair(pair, "_static", unbounded()); }
            }
        }
    }

    TEST_CASE("every program of the folder is in the table") {
        std::vector<std::string> listed;
        for (const std::vector<Pair>* group : all_groups) {
            for (const Pair& pair : *group) listed.emplace_back(pair.source);
        }
        std::vector<std::string> present;
        for (const auto& entry : std::filesystem::directory_iterator(source_folder)) {
            const std::string name = entry.path().filename();
            if (name.ends_with(".c") || name.ends_with(".cpp")) present.push_back(name);
        }
        std::sort(listed.begin(), listed.end());
        std::sort(present.begin(), present.end());
        CHECK(listed == present);
    }
}
