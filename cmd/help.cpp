#include "cmd/help.hpp"

#include <CLI/App.hpp>
#include <array>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace coopcheck::cmd {

namespace {

struct Term {
    std::string_view word;
    std::string_view meaning;
};

/// Every term that reports use.
constexpr std::array terms{
    Term{"abandoned",
         "An attempt at a block that came to a lock somebody else holds; it is made again later."},
    Term{"block", "What one thread does between two places where others are let in."},
    Term{"bound", "The greatest number of preemptions a schedule may have to be explored."},
    Term{"claim", "What a finished search proves, or why it proves less."},
    Term{"complete", "Every schedule within the bound was run, or is equivalent to one that was."},
    Term{"condition", "What a claim rests on (\"holds if\")."},
    Term{"coverage task",
         "A function was interrupted by another thread, by a certain other function, or ran without."},
    Term{"cycle", "Threads that each wait for something the next one holds."},
    Term{"deadlock", "Threads that wait for something that can never happen any more."},
    Term{"decisive step", "The last step at which another choice still leads to a good end; marked with !."},
    Term{"divergence", "The program does something else than the trace says."},
    Term{"finding", "A bug together with a schedule that shows it."},
    Term{"livelock", "Threads that go on for ever without getting anywhere."},
    Term{"minimal",
         "It is proved that no schedule with fewer preemptions shows the finding, where threads are switched "
         "at "
         "synchronization and at accesses that are known to be racy or atomic."},
    Term{"misuse",
         "A call that the rules of a mutex, condition ... forbid, such as unlocking another's lock."},
    Term{"nearest passing schedule", "A good schedule that is the same up to the decisive step."},
    Term{"object",
         "A mutex, condition, semaphore ...: named as in the source, or by the thread that made it."},
    Term{"operation",
         "Something a thread does whose order against other threads can matter, such as taking a lock."},
    Term{"predicted", "A deadlock that must be possible by the order of locks, but was not reached."},
    Term{"preemption",
         "A switch away from a thread that could have gone on; marked with *. Other switches are free."},
    Term{"pruned", "A schedule that was not run because an equivalent one was."},
    Term{"race", "Two accesses to the same memory without an order between them, one of them a write."},
    Term{"refinement", "Something learnt about the program that made the search begin again."},
    Term{"schedule", "The order in which threads make their steps; also one run of the program in it."},
    Term{"step", "One operation of one thread, and what that thread does until its next one."},
    Term{"storage",
         "How memory is used: unshared by one thread, protected by locks or by the order of threads, "
         "unprotected, "
         "or atomic."},
    Term{"suppressed", "A race that the file given with --suppress says is not to be reported."},
    Term{"thread", "T0 is main, T0.1 the first thread it creates, T0.1.2 the second one that T0.1 creates."},
    Term{"trace", "A finding in a file: what is needed to read about it and to replay it."},
    Term{"truncated", "A schedule that was cut because a thread reached a limit on its steps."},
    Term{"watched", "A schedule that was run once more with every access to memory seen."},
};

void print_terms() {
    for (const Term& term : terms) std::cout << term.word << "\n    " << term.meaning << '\n';
}

}  // namespace

Command declare_help(CLI::App& app) {
    CLI::App* command = app.add_subcommand("help", "What the terms of reports mean: help terms");
    auto topic = std::make_shared<std::string>("");
    command->add_option("topic", *topic, "terms");
    return {command, [topic, &app] {
                if (*topic == "terms") {
                    print_terms();
                } else if (topic->empty()) {
                    std::cout << app.help();
                } else {
                    throw Error("There is no help on '" + *topic + "'; try coopcheck help terms.");
                }
                return ExitCode::Clean;
            }};
}

}  // namespace coopcheck::cmd
