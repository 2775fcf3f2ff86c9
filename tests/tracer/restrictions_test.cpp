#include "tracer/restrictions.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace coopcheck::tracer;

namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("restrictions are read from the kernel's files") {
    const auto free =
        parse_restrictions("Name:\tcat\nTracerPid:\t0\nSeccomp:\t0\nSeccomp_filters:\t0\n", std::nullopt);
    CHECK_FALSE(free.yama_scope.has_value());
    CHECK_FALSE(free.seccomp_filter);
    CHECK_FALSE(free.traced);

    const auto bound =
        parse_restrictions("Name:\tcat\nTracerPid:\t17\nSeccomp:\t2\nSeccomp_filters:\t1\n", "2\n");
    CHECK(bound.yama_scope == 2);
    CHECK(bound.seccomp_filter);
    CHECK(bound.traced);
}

TEST_CASE("a refusal of ptrace is blamed on what causes it") {
    const auto reason = [](const Restrictions& restrictions) {
        return explain_ptrace_refusal(restrictions).reason;
    };
    CHECK(contains(reason({.yama_scope = 3, .seccomp_filter = true}), "ptrace_scope is 3"));
    CHECK(contains(reason({.yama_scope = 2}), "ptrace_scope is 2"));
    CHECK(contains(reason({.yama_scope = 1, .seccomp_filter = true}), "seccomp filter"));
    CHECK(contains(reason({.yama_scope = 0}), "security policy"));
    CHECK(contains(reason({.traced = true}), "being traced"));
}

TEST_CASE("scope 3 cannot be lifted without a restart, so the remedy says so") {
    CHECK(contains(explain_ptrace_refusal({.yama_scope = 3}).remedy, "start the machine again"));
    CHECK_FALSE(contains(explain_ptrace_refusal({.yama_scope = 2}).remedy, "start the machine again"));
}

TEST_CASE("a refusal that Yama has no part in is not blamed on it") {
    CHECK_FALSE(contains(explain_refusal({.yama_scope = 3}).reason, "Yama"));
}
