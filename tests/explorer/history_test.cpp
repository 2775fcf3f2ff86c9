#include <doctest/doctest.h>

#include <set>
#include <sstream>
#include <tuple>

#include "core/error.hpp"
#include "explorer/history_strategy.hpp"
#include "tests/explorer/sampling_support.hpp"

namespace coopcheck::testing {
namespace {

/// Keeps its own record of abstract states and decisions and compares every choice with it.
class Watched : public Strategy {
  public:
    explicit Watched(HistoryStrategy& inner) : inner_(inner) {}
    [[nodiscard]] std::string name() const override { return inner_.name(); }
    void begin_run(std::size_t run) override { inner_.begin_run(run); }
    Choice choose(const Turn& turn) override {
        std::multiset<Position> state;
        std::set<std::pair<Position, Variant>> untried;
        for (const Candidate& candidate : turn.candidates) {
            state.insert(position(candidate));
        }
        std::set<std::pair<Position, Variant>>& taken = taken_[state];
        for (const Candidate& candidate : turn.candidates) {
            for (const Variant variant : candidate.variants) {
                if (!taken.contains({position(candidate), variant})) {
                    untried.insert({position(candidate), variant});
                }
            }
        }
        const Choice choice = inner_.choose(turn);
        for (const Candidate& candidate : turn.candidates) {
            if (candidate.thread == choice.thread) {
                const bool is_new = taken.insert({position(candidate), choice.variant}).second;
                repeats_with_untried += !is_new && !untried.empty() ? 1 : 0;
                new_decisions += is_new ? 1 : 0;
            }
        }
        return choice;
    }

    std::size_t repeats_with_untried = 0;
    std::size_t new_decisions = 0;

  private:
    using Position = std::tuple<std::uint64_t, OpKind, ObjectId, ThreadId>;
    static Position position(const Candidate& candidate) {
        const Operation& operation = candidate.operation;
        return {operation.site, operation.kind, operation.object, operation.thread};
    }
    HistoryStrategy& inner_;
    std::map<std::multiset<Position>, std::set<std::pair<Position, Variant>>> taken_;
};

/// Two equal threads and one that chooses a value; `extra` declares another object first, so that ids differ.
FiberProgram program(bool extra = false) {
    return {[extra](Api& api) {
        if (extra) {
            static_cast<void>(api.mutex("unused"));
            static_cast<void>(api.semaphore("also unused"));
        }
        const auto worker = [&api] {
            const Mutex m = api.mutex("m");
            for (std::uint64_t i = 1; i <= 3; ++i) {
                api.at(i);
                api.lock(m);
                api.unlock(m);
            }
        };
        api.create(worker);
        api.create(worker);
        api.create([&api] {
            const Semaphore s = api.semaphore("s");
            for (int i = api.choose(3); i >= 0; --i) {
                api.sem_post(s);
            }
        });
    }};
}

SampleOptions budget(std::size_t schedules) {
    SampleOptions options;
    options.budget.schedules = schedules;
    return options;
}

std::string saved(const DecisionHistory& history) {
    std::ostringstream out;
    history.save(out);
    return out.str();
}

DecisionHistory loaded(const std::string& text) {
    std::istringstream in(text);
    return DecisionHistory::load(in);
}

DecisionHistory small_history() {
    DecisionHistory history;
    history.take({{"f lock a", 2}, {"g \\ with\nnewline", 1}}, "f lock a");
    history.take({{"f lock a", 2}, {"g \\ with\nnewline", 1}}, "g \\ with\nnewline");
    history.take({{"f lock a", 1}}, "f lock a");
    return history;
}

}  // namespace

TEST_SUITE("sampling") {
    TEST_CASE("history repeats no decision while an untried one exists in the same abstract state") {
        HistoryStrategy history({});
        Watched watched(history);
        FiberExecution execution(program());
        const SampleResult result = sample(execution, watched, budget(300));
        CHECK(result.counts.complete == 300);
        CHECK(watched.repeats_with_untried == 0);
        CHECK(watched.new_decisions == history.history().decisions());
        CHECK(history.repeated() == result.counts.steps - watched.new_decisions);
    }

    TEST_CASE("equal threads at the same operation are one decision") {
        const FiberProgram twins{[](Api& api) {
            for (int i = 0; i < 3; ++i) {
                api.create([&api] { api.sem_post(api.semaphore("s")); });
            }
        }};
        HistoryStrategy history({});
        AfterStart strategy(history);
        FiberExecution execution(twins);
        static_cast<void>(sample(execution, strategy, budget(50)));
        // States by (threads before post, threads before exit): 30 21 20 12 11 10 03 02 01; those with both
        // kinds of threads have two decisions, the others one.
        CHECK(history.history().states() == 9);
        CHECK(history.history().decisions() == 12);
    }

    TEST_CASE("a saved history goes on where it was left") {
        HistoryStrategy first({});
        Watched watched_first(first);
        FiberExecution execution(program());
        static_cast<void>(sample(execution, watched_first, budget(5)));
        const std::string text = saved(first.history());
        CHECK(loaded(text) == first.history());

        HistoryStrategy second({});
        second.set_history(loaded(text));
        FiberExecution again(program());
        static_cast<void>(sample(again, second, budget(5)));
        CHECK(second.history().decisions() > first.history().decisions());

        // The same as if it had never been saved.
        HistoryStrategy unbroken({});
        static_cast<void>(sample(execution, unbroken, budget(5)));
        static_cast<void>(sample(execution, unbroken, budget(5)));
        CHECK(second.history() == unbroken.history());
    }

    TEST_CASE("a saved history does not depend on the numbers of objects") {
        HistoryStrategy plain({});
        FiberExecution execution(program(false));
        static_cast<void>(sample(execution, plain, budget(40)));
        HistoryStrategy shifted({});
        FiberExecution other(program(true));
        static_cast<void>(sample(other, shifted, budget(40)));
        CHECK(saved(plain.history()) == saved(shifted.history()));
    }

    TEST_CASE("names of sites come from the caller") {
        HistoryOptions options;
        options.site_name = [](std::uint64_t site) { return "line " + std::to_string(site); };
        HistoryStrategy history(options);
        FiberExecution execution(program());
        static_cast<void>(sample(execution, history, budget(1)));
        CHECK(saved(history.history()).find("line 3 pthread_mutex_lock m") != std::string::npos);
    }

    TEST_CASE("any text survives saving, and an empty history too") {
        CHECK(loaded(saved(small_history())) == small_history());
        CHECK(loaded(saved(DecisionHistory{})) == DecisionHistory{});
    }

    TEST_CASE("a history cut short anywhere is refused") {
        const std::string text = saved(small_history());
        for (std::size_t length = 0; length + 1 < text.size(); ++length) {
            CAPTURE(length);
            CHECK_THROWS_AS(loaded(text.substr(0, length)), Error);
        }
    }

    TEST_CASE("a damaged history is refused") {
        const std::string begin = "coopcheck history 1\n";
        for (const char* rest : {
                 "state\nready 1 a\nend 1 0\n",                                      // no decision
                 "state\ntaken a\nend 1 1\n",                                        // no thread
                 "ready 1 a\ntaken a\nend 1 1\n",                                    // no state
                 "state\nready 0 a\ntaken a\nend 1 1\n",                             // nobody there
                 "state\nready x a\ntaken a\nend 1 1\n",                             // no number
                 "state\nready -1 a\ntaken a\nend 1 1\n",                            //
                 "state\nready 99999999999999999999999 a\ntaken a\nend 1 1\n",       // too large
                 "state\nready 1 a\nready 1 a\ntaken a\nend 1 1\n",                  // twice
                 "state\nready 1 a\ntaken a\ntaken a\nend 1 1\n",                    //
                 "state\nready 1 a\ntaken a\nstate\nready 1 a\ntaken a\nend 2 2\n",  //
                 "state\nready 1 a\\x\ntaken a\nend 1 1\n",                          // no such escape
                 "state\nready 1 a\ntaken a\nend 1 2\n",                             // wrong counts
                 "state\nready 1 a\ntaken a\nend 1 1 1\n",                           //
                 "state\nready 1 a\ntaken a\nend 1 1\nstate\n",                      // goes on
                 "something\nend 0 0\n",                                             // unknown
             }) {
            CAPTURE(rest);
            CHECK_THROWS_AS(loaded(begin + rest), Error);
        }
        CHECK_THROWS_AS(loaded("coopcheck history 2\nend 0 0\n"), Error);
        CHECK_THROWS_WITH_AS(
            loaded("GIF89a"),
            "the saved history is damaged at line 1 (it does not begin with \"coopcheck history 1\"); "
            "delete it to begin a new one",
            Error);
    }
}

}  // namespace coopcheck::testing
