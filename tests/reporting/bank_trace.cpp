#include "tests/reporting/bank_trace.hpp"

namespace coopcheck::testing {

Trace bank_trace() {
    const std::string a = "T0/stack-0x150";
    const std::string b = "T0/stack-0x180";
    Trace trace;
    trace.tool = "coopcheck 0.0.0";
    trace.program = {.path = "./bank", .absolute_path = "/src/bank"};
    trace.finding = {.kind = FindingKind::Deadlock, .is_cycle = true};
    trace.finding.waits = {{.thread = "T0.2",
                            .operation = {.kind = OpKind::MutexLock, .object = a},
                            .blockers = {"T0.1"},
                            .source = "transfer bank.cpp:15",
                            .stack = 3},
                           {.thread = "T0.1",
                            .operation = {.kind = OpKind::MutexLock, .object = b},
                            .blockers = {"T0.2"},
                            .source = "transfer bank.cpp:15",
                            .stack = 3}};
    trace.steps = {
        {.thread = "T0",
         .operation = {.kind = OpKind::ThreadCreate, .thread = "T0.1"},
         .source = "main bank.cpp:24",
         .stack = 1},
        {.thread = "T0",
         .operation = {.kind = OpKind::ThreadCreate, .thread = "T0.2"},
         .source = "main bank.cpp:25",
         .switched = SwitchKind::Continue,
         .stack = 1,
         .blocks = {"T0"}},
        {.thread = "T0.1", .operation = {.kind = OpKind::ThreadStart}, .switched = SwitchKind::Free},
        {.thread = "T0.1",
         .operation = {.kind = OpKind::MutexLock, .object = a},
         .source = "transfer bank.cpp:14",
         .switched = SwitchKind::Continue,
         .stack = 2,
         .takes = {a}},
        {.thread = "T0.2", .operation = {.kind = OpKind::ThreadStart}, .switched = SwitchKind::Preemption},
        {.thread = "T0.2",
         .operation = {.kind = OpKind::MutexLock, .object = b},
         .source = "transfer bank.cpp:14",
         .switched = SwitchKind::Continue,
         .stack = 2,
         .takes = {b},
         .blocks = {"T0.1", "T0.2"}}};
    trace.preemptions = 1;
    trace.minimal = true;
    trace.output = "hello\n";
    trace.decision = TraceDecision{.step = 5,
                                   .passing = {{.thread = "T0.1",
                                                .operation = {.kind = OpKind::MutexLock, .object = b},
                                                .source = "transfer bank.cpp:15",
                                                .switched = SwitchKind::Preemption,
                                                .stack = 3,
                                                .takes = {b}}}};
    trace.labels = {{a, "a.mutex"}, {b, "b.mutex"}};
    trace.stacks = {{"main bank.cpp:24"},
                    {"transfer bank.cpp:14", "lambda bank.cpp:24"},
                    {"transfer bank.cpp:15", "lambda bank.cpp:24"}};
    trace.places = {{.source = "transfer bank.cpp:15",
                     .path = "/src/bank.cpp",
                     .line = 15,
                     .first_line = 15,
                     .lines = {"    const std::lock_guard destination(to.mutex);"}},
                    {.source = "transfer bank.cpp:14", .path = "/src/bank.cpp", .line = 14}};
    return trace;
}

}  // namespace coopcheck::testing
