#include "core/check.hpp"

#include <doctest/doctest.h>

#include <string>

TEST_CASE("a check that holds does nothing, not even build its message") {
    bool built = false;
    const auto message = [&built] {
        built = true;
        return std::string("never seen");
    };
    CHECK_NOTHROW(COOPCHECK_CHECK(2 + 2 == 4, message()));
    CHECK_FALSE(built);
}

TEST_CASE("a check that fails throws in every build and says where, what and which condition") {
    try {
        COOPCHECK_CHECK(2 + 2 == 5, "a sum that is wrong");
        FAIL("the check did not throw");
    } catch (const coopcheck::InternalError& error) {
        const std::string line = std::to_string(__LINE__ - 3);
        CHECK(error.what() ==
              "tests/core/check_test.cpp:" + line + ": a sum that is wrong (expected: 2 + 2 == 5)");
    }
}
