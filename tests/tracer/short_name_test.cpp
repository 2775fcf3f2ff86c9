#include "tracer/short_name.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using coopcheck::tracer::short_name;

TEST_CASE("function names lose what people leave out: parameters, return types, anonymous namespaces") {
    const std::vector<std::pair<std::string, std::string>> names = {
        {"main", "main"},
        {"transfer(Account&, int)", "transfer"},
        {"(anonymous namespace)::transfer((anonymous namespace)::Account&, int)", "transfer"},
        {"bank::Account::deposit(int) const", "bank::Account::deposit"},
        {"main::{lambda()#1}::operator()() const", "main::{lambda#1}"},
        {"run(int)::{lambda(int, char)#2}::operator()(int, char) const", "run::{lambda#2}"},
        {"Queue<int>::push(int const&)", "Queue<int>::push"},
        {"void visit<int>(int)", "visit<int>"},
        {"Map<std::string, std::vector<std::pair<int, int> > >::find(std::string)", "Map<...>::find"},
        {"Functor::operator()(int)", "Functor::operator()"},
        {"operator<<(std::ostream&, Account const&)", "operator<<"},
        {"Ring::operator[](unsigned long)", "Ring::operator[]"},
        {"Pointer::operator->() const", "Pointer::operator->"},
        {"name[abi:cxx11](int)", "name"},
        {"work(void*) [clone .isra.0]", "work"},
    };
    for (const auto& [full, expected] : names) CHECK(short_name(full) == expected);
}
