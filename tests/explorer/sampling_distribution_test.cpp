// With which probability strategies choose, against probabilities worked out on paper. Seeds are fixed, so
// each test gives the same numbers always; the critical values are those of probability 0.001.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "explorer/pos_strategy.hpp"
#include "explorer/random_strategy.hpp"
#include "explorer/surw_strategy.hpp"
#include "tests/explorer/sampling_support.hpp"

namespace coopcheck::testing {
namespace {

SampleOptions budget(std::size_t schedules) {
    SampleOptions options;
    options.budget.schedules = schedules;
    return options;
}

Orders orders_of(const FiberProgram& program, Strategy& strategy, std::size_t schedules) {
    FiberExecution execution(program);
    Orders orders;
    const SampleResult result = sample(execution, strategy, budget(schedules), &orders);
    CHECK(result.findings.empty());
    CHECK(result.counts.complete == schedules);
    return orders;
}

/// How often each site came first.
std::map<std::string, std::size_t> firsts(const Orders& orders) {
    std::map<std::string, std::size_t> counts;
    for (const auto& [order, count] : orders.counts) {
        counts[order.substr(0, order.find(' '))] += count;
    }
    return counts;
}

std::map<std::string, double> equally(const std::vector<std::string>& things) {
    std::map<std::string, double> probabilities;
    for (const std::string& thing : things) {
        probabilities[thing] = 1 / static_cast<double>(things.size());
    }
    return probabilities;
}

/// All orders in which the x of the first thread can mix with those of the second.
void mix(std::size_t first_left, std::size_t second_left, std::size_t first_done, std::size_t second_done,
         const std::string& text, std::vector<std::string>& orders) {
    if (first_left + second_left == 0) {
        orders.push_back(text);
    }
    const std::string space = text.empty() ? "" : " ";
    if (first_left > 0) {
        mix(first_left - 1, second_left, first_done + 1, second_done,
            text + space + std::to_string(100 + first_done + 1), orders);
    }
    if (second_left > 0) {
        mix(first_left, second_left - 1, first_done, second_done + 1,
            text + space + std::to_string(200 + second_done + 1), orders);
    }
}

std::vector<std::string> mixes(std::size_t first, std::size_t second) {
    std::vector<std::string> orders;
    mix(first, second, 0, 0, "", orders);
    return orders;
}

}  // namespace

TEST_SUITE("sampling") {
    TEST_CASE("below() is uniform, also for counts that do not divide 2^64") {
        for (const std::uint64_t count : {3U, 7U, 10U}) {
            RandomStream random(count);
            std::map<std::string, std::size_t> counts;
            std::vector<std::string> all;
            for (std::uint64_t i = 0; i < count; ++i) {
                all.push_back(std::to_string(i));
            }
            for (int i = 0; i < 10'000; ++i) {
                counts[std::to_string(random.below(count))] += 1;
            }
            CHECK(chi_square(counts, equally(all)) < critical_value(count - 1));
        }
    }

    TEST_CASE("the random numbers are those of splitmix64 on every machine") {
        // The first numbers of the reference implementation for the seed 1234567.
        RandomStream random(1234567);
        CHECK(random.next() == 6457827717110365317ULL);
        CHECK(random.next() == 3203168211198807973ULL);
        CHECK(random.next() == 9817491932198370423ULL);
    }

    TEST_CASE("uniform chooses every thread equally often") {
        UniformStrategy uniform(1);
        AfterStart strategy(uniform);
        const Orders orders = orders_of(posting_threads({"x", "x", "x", "x"}), strategy, 8'000);
        CHECK(chi_square(firsts(orders), equally({"101", "201", "301", "401"})) <
              16.27);  // 3 degrees of freedom
    }

    TEST_CASE("uniform chooses every variant equally often") {
        const FiberProgram program{[](Api& api) {
            const auto chosen = static_cast<std::uint64_t>(api.choose(5));
            api.at(chosen + 1);
            api.yield();
        }};
        UniformStrategy strategy(2);
        const Orders orders = orders_of(program, strategy, 5'000);
        CHECK(chi_square(orders.counts, equally({"1", "2", "3", "4", "5"})) < 18.47);  // 4 degrees of freedom
    }

    TEST_CASE("rstest's loop gives the thread j places behind the head the probability p^j (1-p) / (1-p^n)") {
        for (const double p : {0.125, 0.5}) {
            SwitchingOptions options;
            options.seed = 3;
            options.switch_probability = p;
            SwitchingStrategy random(options);
            AfterStart strategy(random);
            const Orders orders = orders_of(posting_threads({"x", "x", "x"}), strategy, 20'000);
            const double scale = (1 - p) / (1 - p * p * p);
            const std::map<std::string, double> expected = {
                {"101", scale}, {"201", p * scale}, {"301", p * p * scale}};
            CHECK(chi_square(firsts(orders), expected) < 13.82);  // 2 degrees of freedom
        }
    }

    TEST_CASE("rstest without switches runs each thread to its end") {
        SwitchingOptions options;
        options.switch_probability = 0;
        SwitchingStrategy random(options);
        AfterStart strategy(random);
        const Orders orders = orders_of(posting_threads({"xx", "xx"}), strategy, 100);
        CHECK(orders.counts == std::map<std::string, std::size_t>{{"101 102 201 202", 100}});
    }

    TEST_CASE(
        "pos runs a lone operation after m+1 others with probability 1/(m+2), a random walk with 2^-(m+1)") {
        // Four private operations and the shared one, against the other's shared one: that is last if its
        // priority is the lowest of six. A random walk has to decide five times for the first thread.
        const FiberProgram program = posting_threads({"ppppx", "x"});
        PosStrategy pos(4);
        AfterStart after_start(pos);
        const Orders orders = orders_of(program, after_start, 12'000);
        CHECK(chi_square(orders.counts, {{"101 201", 1.0 / 6}, {"201 101", 5.0 / 6}}) < 10.83);  // 1 degree
        UniformStrategy uniform(4);
        AfterStart walk(uniform);
        const Orders walked = orders_of(program, walk, 12'000);
        CHECK(chi_square(walked.counts, {{"101 201", 1.0 / 32}, {"201 101", 31.0 / 32}}) < 10.83);
    }

    TEST_CASE("pos draws again after a conflict and only then") {
        // All conflict: each step is a fresh draw between two. AABB: 1/2 * 1/2, then only B is left; ABAB:
        // 1/8 ...
        PosStrategy pos(5);
        AfterStart strategy(pos);
        const Orders conflicting = orders_of(posting_threads({"xx", "xx"}), strategy, 8'000);
        const std::map<std::string, double> expected = {
            {"101 102 201 202", 1.0 / 4}, {"101 201 102 202", 1.0 / 8}, {"101 201 202 102", 1.0 / 8},
            {"201 101 102 202", 1.0 / 8}, {"201 101 202 102", 1.0 / 8}, {"201 202 101 102", 1.0 / 4}};
        CHECK(chi_square(conflicting.counts, expected) < 20.52);  // 5 degrees of freedom

        // "px" against "x": the first thread's two come first if the other's priority is the lowest of three,
        // not with 1/4 as if it were drawn again after "p".
        const Orders apart = orders_of(posting_threads({"px", "x"}), strategy, 8'000);
        CHECK(chi_square(apart.counts, {{"101 201", 1.0 / 3}, {"201 101", 2.0 / 3}}) < 10.83);
    }

    TEST_CASE("surw on all operations makes every interleaving equally likely, births included") {
        // main: create, create, exit; the threads: start, post ..., exit. Without blocking these are the
        // linear extensions of a forest: 10! divided by the sizes of all subtrees, 10 5 1 (main) 4 3 2 1 and
        // 3 2 1.
        const FiberProgram program = posting_threads({"pp", "p"});
        FiberExecution execution(program);
        REQUIRE(count_schedules(execution) == 504);
        SurwOptions options;
        options.seed = 6;
        options.all_operations = true;
        SurwStrategy strategy(options);
        Orders orders;
        const SampleResult result = sample(execution, strategy, budget(15'121), &orders);
        CHECK(result.counts.complete == 15'121);
        std::map<std::string, std::size_t> counts;
        std::map<std::string, double> probabilities;
        for (std::size_t i = 1; i < orders.schedules.size(); ++i) {  // the first is the profile
            std::string text;
            for (const Choice& choice : orders.schedules[i]) {
                text += std::to_string(choice.thread.index());
            }
            counts[text] += 1;
            probabilities[text] = 1.0 / 504;
        }
        REQUIRE(probabilities.size() == 504);
        CHECK(chi_square(counts, probabilities) < 606.8);  // 503 degrees of freedom

        // A random walk is far from it.
        UniformStrategy uniform(6);
        Orders walked;
        static_cast<void>(sample(execution, uniform, budget(15'120), &walked));
        std::map<std::string, std::size_t> walked_counts;
        for (const Schedule& schedule : walked.schedules) {
            std::string text;
            for (const Choice& choice : schedule) {
                text += std::to_string(choice.thread.index());
            }
            walked_counts[text] += 1;
        }
        CHECK(chi_square(walked_counts, probabilities) > 10 * 606.8);
    }

    TEST_CASE(
        "surw makes every order of the operations on a shared object equally likely, whatever else is done") {
        const FiberProgram program = posting_threads({"xppxpx", "pppppppppx"});
        const std::map<std::string, double> probabilities = equally(mixes(3, 1));
        SurwOptions options;
        options.seed = 7;
        SurwStrategy strategy(options);
        FiberExecution execution(program);
        Orders orders;
        static_cast<void>(sample(execution, strategy, budget(4'001), &orders));
        CHECK(strategy.shared_locations().size() == 1);
        orders.counts[orders.in_order.front()] -= 1;              // the profile
        CHECK(chi_square(orders.counts, probabilities) < 16.27);  // 3 degrees of freedom
        UniformStrategy uniform(7);
        CHECK(chi_square(orders_of(program, uniform, 4'000).counts, probabilities) > 10 * 16.27);
    }

    TEST_CASE("surw counts what a thread's unborn children will do") {
        const FiberProgram program{[](Api& api) {
            const Semaphore x = api.semaphore("x");
            const auto post_twice = [&api, x](std::uint64_t site) {
                for (std::uint64_t i = 1; i <= 2; ++i) {
                    api.at(site + i);
                    api.sem_post(x);
                }
            };
            api.create([&api, post_twice] {
                for (int i = 0; i < 5; ++i) {
                    api.sem_post(api.semaphore("own"));
                }
                api.create([post_twice] { post_twice(100); });
            });
            api.create([post_twice] { post_twice(200); });
        }};
        SurwOptions options;
        options.seed = 8;
        SurwStrategy strategy(options);
        FiberExecution execution(program);
        Orders orders;
        static_cast<void>(sample(execution, strategy, budget(6'001), &orders));
        orders.counts[orders.in_order.front()] -= 1;                     // the profile
        CHECK(chi_square(orders.counts, equally(mixes(2, 2))) < 20.52);  // 5 degrees of freedom
    }
}

}  // namespace coopcheck::testing
