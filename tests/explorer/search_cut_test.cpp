// Where a search can be cut in two, and what two parts of one have to tell each other.
#include "explorer/search_cut.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <vector>

#include "explorer/assumptions.hpp"

namespace coopcheck::testing {
namespace {

using Shared = std::shared_ptr<Footprint>;

const ThreadId first{1};
const ThreadId second{2};

/// `delayed` is the footprint of the first thread, which is delayed in it.
Branch others_first(const Shared& delayed) {
    Branch branch;
    branch.node.enabled = {second};
    branch.node.delayed.push_back({first, delayed});
    branch.node.last = first;
    return branch;
}

/// Another variant of the first thread's block.
Branch variant(const Shared& footprint) {
    Branch branch;
    branch.node.enabled = {first, second};
    branch.current = first;
    branch.footprint = footprint;
    return branch;
}

/// The first thread goes on with its run.
Branch run_goes_on(const Shared& run) {
    Branch branch;
    branch.node.enabled = {first, second};
    branch.node.last = first;
    branch.node.run = run;
    return branch;
}

std::optional<std::size_t> cut(const std::vector<Branch>& stack) {
    return place_to_cut(stack, [](const Branch&) { return true; });
}

}  // namespace

TEST_SUITE("together") {
    TEST_CASE("a stack is cut in the middle, if there is enough for two") {
        const auto some = std::make_shared<Footprint>();
        CHECK(cut({}) == std::nullopt);
        CHECK(cut({others_first(some)}) == std::nullopt);
        CHECK(cut({others_first(some), others_first(some)}) == 1);
        CHECK(cut(std::vector<Branch>(10, others_first(some))) == 5);
    }

    TEST_CASE("branches that are only to be put aside are no work") {
        const auto some = std::make_shared<Footprint>();
        std::vector<Branch> stack(6, others_first(some));
        stack[3].progressed = stack[5].progressed = true;
        const auto has_work = [](const Branch& branch) { return branch.progressed; };
        CHECK(place_to_cut(stack, has_work) == 4);
        stack[3].progressed = false;
        CHECK(place_to_cut(stack, has_work) == std::nullopt);
    }

    TEST_CASE("a branch stays with those above it that add to a footprint it relies on") {
        const auto grows = std::make_shared<Footprint>();
        const auto other = std::make_shared<Footprint>();
        for (const Branch& grower : {variant(grows), run_goes_on(grows)}) {
            CHECK(cut({others_first(grows), grower}) == std::nullopt);
            CHECK(cut({others_first(grows), others_first(other), others_first(other), grower}) ==
                  std::nullopt);
            CHECK(cut({others_first(other), others_first(other), others_first(grows), grower}) == 2);
            // Above it nobody adds to what it relies on.
            CHECK(cut({others_first(grows), grower, others_first(other), others_first(other)}) == 2);
            CHECK(cut({grower, others_first(grows)}) == 1);
            CHECK(cut({others_first(other), grower}) == 1);
        }
    }

    TEST_CASE("a run that another thread has interrupted does not grow any more") {
        const auto grows = std::make_shared<Footprint>();
        Branch interrupted = run_goes_on(grows);
        interrupted.node.enabled = {second};
        CHECK(cut({others_first(grows), interrupted}) == 1);
        interrupted.node.enabled = {first, second};
        interrupted.current = second;
        CHECK(cut({others_first(grows), interrupted}) == 1);
    }

    TEST_CASE("what two parts of a search saw contradicts what they did, though neither noticed") {
        const ObjectId lock{0};
        const ObjectId inner{1};
        const ObjectId condition{2};
        const auto joined = [](const Assumptions& left, const Assumptions& right, bool ignored = false) {
            Assumptions both = left;
            Assumptions swapped = right;
            const bool is_consistent = both.join(right, ignored);
            CHECK(swapped.join(left, ignored) == is_consistent);
            return is_consistent;
        };
        Assumptions uses;
        uses.see_use(first, lock, false);
        Assumptions also_uses;
        also_uses.see_use(second, lock, false);
        Assumptions tests;
        tests.see_test(lock);
        CHECK(joined(uses, also_uses));
        CHECK_FALSE(joined(uses, also_uses, true));
        CHECK_FALSE(joined(uses, tests));
        CHECK(joined(tests, tests));
        CHECK(joined(uses, Assumptions{}));

        Assumptions signals;
        signals.see_wait(condition, lock);
        signals.see_signal_inside_block(condition);
        Assumptions waits;
        waits.see_wait(condition, inner);
        CHECK_FALSE(joined(signals, waits));
        CHECK(joined(signals, signals));

        Assumptions outside_in;
        CHECK_FALSE(outside_in.see_lock_order(first, lock, inner));
        Assumptions inside_out;
        CHECK_FALSE(inside_out.see_lock_order(second, inner, lock));
        CHECK(joined(outside_in, outside_in));
        Assumptions both = outside_in;
        CHECK_FALSE(both.join(inside_out, false));
        CHECK(both.execute_nesting());

        Assumptions racy;
        racy.see_racy(Location::memory(1));
        CHECK_FALSE(joined(racy, uses));
    }
}

}  // namespace coopcheck::testing
