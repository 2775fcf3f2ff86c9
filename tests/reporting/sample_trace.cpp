#include "tests/reporting/sample_trace.hpp"

#include <string_view>

namespace coopcheck::testing {

using namespace std::string_view_literals;

Trace full_trace() {
    constexpr std::string_view bytes = "back\\slash \\x41 \xff\xfe caf\xc3\xa9 \x1b[31m \n \0 end"sv;
    const std::string odd_text(bytes);
    Trace trace;
    trace.tool = "coopcheck 0.0.0";
    trace.program = {.path = "./bank \xff",
                     .absolute_path = "/somewhere/bank \xff",
                     .arguments = {"", "--fast", "two words", "\xc0\x80"},
                     .build_id = "00ff",
                     .input = describe_input(odd_text)};
    trace.options = {.explore_timeouts = true, .spurious_wakeups = 2, .visible = {"balance", "0x10"}};
    trace.finding.kind = FindingKind::Deadlock;
    trace.finding.message = odd_text;
    trace.finding.is_cycle = true;
    trace.finding.waits = {
        {.thread = "T0.1",
         .operation = {.kind = OpKind::CondResume, .timed = true, .object = "changed", .mutex = "mutex"},
         .blockers = {"T0.2", "T0.10.3"},
         .source = "wait file.c:3",
         .stack = 2},
        {.thread = "T0", .operation = {.kind = OpKind::ThreadJoin, .thread = "T0.1"}},
    };
    trace.steps = {
        {.thread = "T0",
         .operation = {.kind = OpKind::ThreadCreate, .thread = "T0.1"},
         .source = "main file.c:9"},
        {.thread = "T0.1",
         .operation = {.kind = OpKind::MutexLock, .runtime = true, .object = odd_text},
         .result = 16,
         .occurrence = 3,
         .switched = SwitchKind::Preemption,
         .stack = 1,
         .takes = {odd_text, "mutex"},
         .gives = {"other"},
         .blocks = {"T0", "T0.2"},
         .frees = {"T0.1.1"}},
        {.thread = "T0.1",
         .operation = {.kind = OpKind::BarrierWait, .object = "barrier"},
         .result = -1,
         .switched = SwitchKind::Continue},
        {.thread = "T0",
         .operation = {.kind = OpKind::Write, .location = "balance"},
         .switched = SwitchKind::Free},
        {.thread = "T0",
         .operation = {.kind = OpKind::ProcessExit, .exit_code = -3},
         .switched = SwitchKind::Continue},
    };
    trace.steps[3].operation.looks_again = true;
    trace.preemptions = 1;
    trace.minimal = true;
    trace.minimal_open = "the time was up";
    trace.decision = TraceDecision{.step = 3, .passing = {trace.steps[1], trace.steps[4]}};
    trace.labels = {{"mutex", "account.lock"}, {odd_text, "forks[2]"}};
    trace.stacks = {{"wait file.c:3", "main file.c:9"}, {odd_text}};
    trace.places = {{.source = "wait file.c:3",
                     .path = "/src/file.c",
                     .line = 3,
                     .first_line = 2,
                     .lines = {"int x;", odd_text, ""}},
                    {.source = odd_text}};
    trace.output = odd_text + odd_text;
    trace.output_cut = true;
    return trace;
}

Trace race_trace() {
    Trace trace;
    trace.tool = "coopcheck 0.0.0";
    trace.program = {.path = "./list", .absolute_path = "/somewhere/list", .arguments = {}};
    trace.options.visible = {"heap+0x2a8"};
    trace.finding.kind = FindingKind::Race;
    trace.finding.thread = "T0.2";
    trace.finding.operation = TraceOperation{.kind = OpKind::Read, .location = "heap+0x2a8"};
    trace.finding.source = "sum list.c:20";
    TraceRace& race = trace.finding.race.emplace();
    race.first = {.thread = "T0.1",
                  .operation = {.kind = OpKind::Write, .location = "heap+0x2a8"},
                  .size = 4,
                  .before = "0x0",
                  .after = "0x2a",
                  .instruction = "list+0x1189: mov dword ptr [rax], 0x2a",
                  .locks = {"mutex"},
                  .source = "push list.c:10",
                  .stack = 1};
    race.second = {.thread = "T0.2",
                   .operation = {.kind = OpKind::Read, .location = "heap+0x2a8"},
                   .size = 4,
                   .before = "0x2a",
                   .source = "sum list.c:20",
                   .stack = 2};
    race.allocation = TraceAllocation{.thread = "T0", .size = 24, .offset = 8, .source = "make list.c:5"};
    trace.steps = {
        {.thread = "T0",
         .operation = {.kind = OpKind::ThreadCreate, .thread = "T0.1"},
         .source = "main list.c:30"},
        {.thread = "T0.1",
         .operation = {.kind = OpKind::MutexLock, .object = "mutex"},
         .source = "push list.c:9",
         .switched = SwitchKind::Preemption,
         .takes = {"mutex"}},
        {.thread = "T0.2", .operation = {.kind = OpKind::ThreadStart}, .switched = SwitchKind::Preemption},
    };
    trace.preemptions = 2;
    trace.labels = {{"mutex", "list.lock"}, {"heap+0x2a8", "Node.value"}};
    trace.stacks = {{"push list.c:10", "fill list.c:14"}, {"sum list.c:20"}};
    trace.places = {{.source = "push list.c:10",
                     .path = "/src/list.c",
                     .line = 10,
                     .first_line = 10,
                     .lines = {"node->value = 42;"}},
                    {.source = "sum list.c:20",
                     .path = "/src/list.c",
                     .line = 20,
                     .first_line = 20,
                     .lines = {"total += node->value;"}},
                    {.source = "fill list.c:14"}};
    return trace;
}

}  // namespace coopcheck::testing
