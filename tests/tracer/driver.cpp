#include "tests/tracer/driver.hpp"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <memory>
#include <random>
#include <utility>

namespace coopcheck::tracer::test {

namespace {

std::string describe(const Operation& operation, const Names& names) {
    std::string text{name(operation.kind)};
    if (operation.object.valid()) text += " " + names.objects.name(operation.object);
    if (operation.mutex.valid()) text += " " + names.objects.name(operation.mutex);
    if (operation.thread.valid()) text += " " + names.threads.name(operation.thread);
    return text + " value " + std::to_string(operation.value) + " site " + std::to_string(operation.site);
}

std::vector<Choice> choices(const TracedExecution& execution) {
    std::vector<Choice> all;
    for (const ParkedThread& parked : execution.parked()) {
        for (const Variant variant : execution.model().options(parked.thread, parked.operation)) {
            all.push_back({parked.thread, variant});
        }
    }
    if (!all.empty()) return all;
    for (const ParkedThread& parked : execution.parked()) {
        if (execution.model().can_time_out(parked.thread, parked.operation)) {
            all.push_back({parked.thread, Variant::timeout()});
        }
    }
    return all;
}

void make_step(TracedExecution& execution, Choice choice, Record& record) {
    const StepResult result = execution.step(choice.thread, choice.variant);
    const Names& names = execution.names();
    std::string line = names.threads.name(choice.thread) + " " + describe(result.operation, names) +
                       " result " + std::to_string(result.outcome.result) +
                       (result.thread_ended ? " ended" : "");
    for (const ParkedThread& parked : execution.parked()) {
        line += " | " + names.threads.name(parked.thread) + " " + describe(parked.operation, names);
    }
    record.schedule.push_back(choice);
    record.steps.push_back(std::move(line));
    record.end = result.end;
}

void finish(const TracedExecution& execution, Record& record) {
    record.standard_output = execution.standard_output();
    record.standard_error = execution.standard_error();
}

}  // namespace

Policy first_enabled() {
    return [](std::size_t) { return std::size_t{0}; };
}

Policy round_robin() {
    return [turn = std::size_t{0}](std::size_t count) mutable { return turn++ % count; };
}

Policy at_random(unsigned seed) {
    return [generator = std::mt19937(seed)](std::size_t count) mutable { return generator() % count; };
}

Record drive(TracedExecution& execution, const Policy& policy, const DriveOptions& options) {
    Record record;
    if (options.collect_places) record.places.push_back(execution.here());
    while (!execution.parked().empty()) {
        const auto ways = choices(execution);
        if (ways.empty()) {
            record.deadlock = true;
            break;
        }
        if (record.steps.size() >= options.step_limit) {
            record.endless = true;
            break;
        }
        make_step(execution, ways[policy(ways.size())], record);
        if (options.collect_places) record.places.push_back(execution.here());
    }
    finish(execution, record);
    return record;
}

Record replay(TracedExecution& execution, const Schedule& schedule, std::size_t from) {
    Record record;
    for (std::size_t step = from; step < schedule.size(); ++step)
        make_step(execution, schedule[step], record);
    finish(execution, record);
    return record;
}

std::string target(const std::string& name) { return std::string(COOPCHECK_TARGETS_FOLDER) + "/" + name; }

const std::vector<std::string>& steady_programs() {
    static const std::vector<std::string> all{"two_threads",
                                              "two_threads_static",
                                              "two_threads_fixed",
                                              "two_threads_stripped",
                                              "mutex_kinds",
                                              "condition",
                                              "rwlock",
                                              "semaphore",
                                              "barrier_once_spin",
                                              "c11_threads",
                                              "cpp_threads",
                                              "cancel",
                                              "malloc_and_print",
                                              "many_threads",
                                              "signals",
                                              "memory_reuse",
                                              "promises",
                                              "cancel_exit",
                                              "signal_waits",
                                              "channels",
                                              "streams",
                                              "thread_names",
                                              "two_threads_static_pie"};
    return all;
}

NativeRun run_natively(const std::string& command) {
    NativeRun run;
    FILE* pipe = ::popen((command + " 2>/dev/null").c_str(), "r");  // NOLINT(cert-env33-c): our own programs
    if (pipe == nullptr) return run;
    std::array<char, 4096> chunk{};
    while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), pipe)) {
        run.standard_output.append(chunk.data(), count);
    }
    run.exit_code = WEXITSTATUS(::pclose(pipe));
    return run;
}

}  // namespace coopcheck::tracer::test
