#include "core/footprint.hpp"

#include <doctest/doctest.h>

using namespace coopcheck;

namespace {

const Location here = Location::memory(0x1000);
const Location there = Location::memory(0x2000);

Footprint of(Location location, bool write) {
    Footprint footprint;
    footprint.add(location, write);
    return footprint;
}

}  // namespace

TEST_CASE("a new footprint is empty and conflicts with nothing") {
    const Footprint nothing;
    CHECK(nothing.empty());
    CHECK_FALSE(nothing.conflicts_with(nothing));
    CHECK_FALSE(nothing.conflicts_with(of(here, true)));
    CHECK_FALSE(of(here, true).conflicts_with(nothing));
}

TEST_CASE("footprints conflict in one location with at least one write") {
    CHECK(of(here, true).conflicts_with(of(here, true)));
    CHECK(of(here, true).conflicts_with(of(here, false)));
    CHECK(of(here, false).conflicts_with(of(here, true)));
    CHECK_FALSE(of(here, false).conflicts_with(of(here, false)));
    CHECK_FALSE(of(here, true).conflicts_with(of(there, true)));
}

TEST_CASE("a location stands once in a footprint, written if it ever was") {
    Footprint footprint;
    footprint.add(there, false);
    footprint.add(here, false);
    footprint.add(there, true);
    footprint.add(there, false);
    CHECK(footprint.entries() == std::vector<Footprint::Entry>{{here, false}, {there, true}});
    footprint.clear();
    CHECK(footprint.empty());
}

TEST_CASE("a footprint added to another gives the union of both") {
    Footprint sum = of(here, false);
    Footprint more = of(there, false);
    more.add(here, true);
    sum.add(more);
    CHECK(sum.entries() == std::vector<Footprint::Entry>{{here, true}, {there, false}});
    CHECK(sum == more);
}

TEST_CASE("a conflict is found wherever it stands in long footprints") {
    Footprint even;
    Footprint odd;
    for (std::uint64_t address = 0; address < 100; address += 2) {
        even.add(Location::memory(address), true);
        odd.add(Location::memory(address + 1), true);
    }
    CHECK_FALSE(even.conflicts_with(odd));
    for (const std::uint64_t address : {0U, 42U, 98U}) {
        Footprint touching = odd;
        touching.add(Location::memory(address), false);
        CHECK(even.conflicts_with(touching));
        CHECK(touching.conflicts_with(even));
    }
}

TEST_CASE("the world conflicts with everything, even with nothing") {
    const Footprint world = of(Location::world(), true);
    const Footprint nothing;
    CHECK(world.conflicts_with(nothing));
    CHECK(nothing.conflicts_with(world));
    CHECK(world.conflicts_with(of(here, false)));
    Footprint both = of(here, false);
    both.add(world);
    CHECK(both.conflicts_with(of(there, false)));
}

TEST_CASE("locations of different kinds with the same number are different") {
    const Location all[] = {Location::memory(7), Location::object(ObjectId{7}), Location::thread(ThreadId{7}),
                            Location::output(7), Location::world()};
    for (const Location& one : all) {
        for (const Location& other : all) {
            CHECK((one == other) == (&one == &other));
        }
    }
    CHECK(all[1].kind() == Location::Kind::Object);
    CHECK(all[1].value() == 7);
}
