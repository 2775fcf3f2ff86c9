// Mistakes made on purpose in the search. A test suite that does not notice one of them proves nothing.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "explorer/faults.hpp"
#include "tests/explorer/comparison.hpp"
#include "tests/support/generator.hpp"

namespace coopcheck::testing {
namespace {

/// What the comparison with brute force says about the search with this fault; empty if it sees no difference.
std::string noticed(Fault fault, std::size_t programs_of_each_family) {
    active_fault() = fault;
    std::string what;
    for (const Shape& shape : families()) {
        try {
            what = compare_family(shape.name, ProgramSize::Small, 1, programs_of_each_family, OnMismatch::OnlySay).first_mismatch;
        } catch (const InternalError& error) {
            what = error.what();
        }
        if (!what.empty()) {
            break;
        }
    }
    active_fault() = Fault::None;
    return what;
}

}  // namespace

TEST_SUITE("mutation") {
    TEST_CASE("the search without faults passes what the faults have to fail") {
        CHECK(noticed(Fault::None, 10) == "");
    }

    TEST_CASE("every deliberate fault is noticed") {
        const std::vector<std::pair<Fault, std::string>> faults{
            {Fault::ForgetOldEnabled, "the pushed branch takes the enabled set of after the block"},
            {Fault::KeepNoNotify, "no_notify is not cleared"},
            {Fault::DropChoices, "only the first waiter is ever signalled"},
            {Fault::NeverReenableDelayed, "a conflict does not re-enable a delayed thread"},
            {Fault::FreeSwitchCosts, "a free switch counts as a preemption"},
            {Fault::PreemptionIsFree, "no switch counts as a preemption"},
            {Fault::ForgetBlocked, "a blocked thread stays blocked"},
            {Fault::OnlyWritesConflict, "a read and a write do not conflict"},
            {Fault::IgnoreTestedObjects, "no block ends at the acquires of a lock that is tried"},
            {Fault::NoBlockEndAtCreate, "the child cannot run before its parent goes on"},
            {Fault::DelayAtFreeSwitch, "one block's footprint delays a thread at a free switch under a bound"},
            {Fault::IgnoreBlockedInBounds, "the operation a thread blocks on conflicts with nothing"},
            {Fault::TrustNesting, "lock order cycles and releases out of order change nothing"},
            {Fault::BelieveDelayed, "a path that ends with delayed threads is a deadlock"},
            {Fault::ForgetDelayedInBranch, "the pushed branch does not delay the thread that ran"},
            {Fault::SkipDeath, "a thread that ends wakes nobody up"},
        };
        for (const auto& [fault, description] : faults) {
            CAPTURE(description);
            CHECK_FALSE(noticed(fault, 150).empty());
        }
    }
}

}  // namespace coopcheck::testing
