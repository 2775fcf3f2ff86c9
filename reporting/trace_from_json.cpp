// Reading a trace. The text may come from anywhere: nothing in it is believed before it was looked at.
#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "reporting/json_reader.hpp"
#include "reporting/trace_file.hpp"

namespace coopcheck {

namespace {

using Json = nlohmann::json;
using Reader = JsonReader;

/// The trace itself nests four deep (a list in a wait in a finding in the trace).
constexpr int deepest = 8;
/// More than any search runs in one schedule; reading them would only cost memory.
constexpr std::size_t most_steps = 500'000;

TraceOperation operation(const Reader& reader) {
    TraceOperation operation;
    operation.kind = reader.one_of<OpKind>("operation");
    operation.object = reader.text_or_empty("object");
    operation.mutex = reader.text_or_empty("mutex");
    operation.thread = reader.has("target") ? reader.thread("target") : "";
    operation.location = reader.text_or_empty("location");
    operation.exit_code = reader.number_or_zero<int>("exit_code");
    operation.looks_again = reader.flag("looks_again");
    operation.timed = reader.flag("timed");
    operation.runtime = reader.flag("runtime");
    return operation;
}

TraceProgram program(const Reader& top) {
    const Reader reader(top.value("program"), top.name(), "the program",
                        {"path", "absolute_path", "arguments", "build_id", "input"});
    TraceProgram program;
    program.path = reader.text("path");
    program.absolute_path = reader.text("absolute_path");
    static_cast<void>(reader.array("arguments"));
    program.arguments = reader.texts("arguments");
    for (const std::string& argument : program.arguments) {
        if (argument.find('\0') != std::string::npos) {
            reader.fail_at("arguments", "has a zero byte, which no argument can have");
        }
    }
    program.build_id = reader.text_or_empty("build_id");
    if (reader.has("input")) {
        const Reader input(reader.value("input"), top.name(), "the program's input",
                           {"bytes", "hash", "text"});
        TraceInput& read = program.input.emplace();
        read.bytes = input.number<std::uint64_t>("bytes");
        read.hash = input.text("hash");
        if (input.has("text")) {
            read.text = input.text("text");
            const TraceInput really = describe_input(*read.text);
            if (really.bytes != read.bytes || really.hash != read.hash) {
                input.fail_at("text", R"(is not the input that "bytes" and "hash" tell of)");
            }
        }
    }
    return program;
}

TraceOptions options(const Reader& top) {
    const Reader reader(top.value("options"), top.name(), "the options", {"timeouts", "spurious", "visible"});
    TraceOptions options;
    const std::string timeouts = reader.text("timeouts");
    if (timeouts != "lazy" && timeouts != "explore") {
        reader.fail_at("timeouts", R"(is neither "lazy" nor "explore")");
    }
    options.explore_timeouts = timeouts == "explore";
    options.spurious_wakeups = reader.number<std::uint32_t>("spurious");
    options.visible = reader.texts("visible");
    return options;
}

/// Which of the stacks; 0 for none.
std::size_t stack_number(const Reader& reader, std::size_t stacks) {
    const auto number = reader.number_or_zero<std::uint32_t>("stack");
    if (number > stacks) {
        reader.fail_at("stack", "is not the number of one of the \"stacks\"");
    }
    return number;
}

/// A number as "before" and "after" have it.
std::string value_text(const Reader& reader, const char* key) {
    std::string text = reader.text_or_empty(key);
    constexpr std::size_t longest = 18;
    const bool sound = text.size() > 2 && text.size() <= longest && text.starts_with("0x") &&
                       text.find_first_not_of("0123456789abcdef", 2) == std::string::npos;
    if (!text.empty() && !sound) {
        reader.fail_at(key, "is not a number like 0x2a");
    }
    return text;
}

TraceAccess access(const Reader& race, const char* key, std::size_t stacks) {
    const Reader reader(
        race.value(key), race.name(), "the race's " + std::string(key) + " access",
        {"thread", "operation", "object", "mutex", "target", "location", "exit_code", "looks_again", "timed",
         "runtime", "size", "freed", "before", "after", "instruction", "locks", "source", "stack"});
    TraceAccess access;
    access.thread = reader.thread("thread");
    access.operation = operation(reader);
    const OpKind kind = access.operation.kind;
    if (kind != OpKind::Read && kind != OpKind::Write && kind != OpKind::ReadWrite) {
        reader.fail_at("operation", "is no access to memory");
    }
    access.size = reader.number<std::uint32_t>("size");
    access.freed = reader.flag("freed");
    access.before = value_text(reader, "before");
    access.after = value_text(reader, "after");
    access.instruction = reader.text_or_empty("instruction");
    access.locks = reader.texts("locks");
    access.source = reader.text_or_empty("source");
    access.stack = stack_number(reader, stacks);
    return access;
}

TraceRace race(const Reader& finding, std::size_t stacks) {
    const Reader reader(finding.value("race"), finding.name(), "the race",
                        {"first", "second", "allocation", "apart"});
    TraceRace race;
    race.first = access(reader, "first", stacks);
    race.second = access(reader, "second", stacks);
    if (reader.has("allocation")) {
        const Reader allocation(reader.value("allocation"), finding.name(), "the race's allocation",
                                {"thread", "size", "offset", "source"});
        race.allocation = TraceAllocation{.thread = allocation.thread("thread"),
                                          .size = allocation.number<std::uint64_t>("size"),
                                          .offset = allocation.number<std::uint64_t>("offset"),
                                          .source = allocation.text_or_empty("source")};
    }
    race.apart = reader.flag("apart");
    return race;
}

TraceFinding finding(const Reader& top, std::size_t stacks) {
    const Reader reader(
        top.value("finding"), top.name(), "the finding",
        {"kind", "thread", "misuse", "at", "source", "message", "cycle", "predicted", "waits", "race"});
    TraceFinding finding;
    finding.kind = reader.one_of<FindingKind>("kind");
    finding.thread = reader.has("thread") ? reader.thread("thread") : "";
    if (reader.has("misuse")) {
        finding.misuse = reader.one_of<Misuse>("misuse");
    }
    if (reader.has("at")) {
        finding.operation = operation(Reader(reader.value("at"), top.name(), "the finding's place",
                                             {"operation", "object", "mutex", "target", "location",
                                              "exit_code", "looks_again", "timed", "runtime"}));
    }
    finding.source = reader.text_or_empty("source");
    finding.message = reader.text_or_empty("message");
    finding.is_cycle = reader.flag("cycle");
    finding.confirmed = !reader.flag("predicted");
    if (reader.has("waits")) {
        for (const Json& json : reader.array("waits")) {
            const Reader wait(json, top.name(), "wait " + std::to_string(finding.waits.size() + 1),
                              {"thread", "operation", "object", "mutex", "target", "location", "exit_code",
                               "looks_again", "timed", "runtime", "blockers", "source", "stack"});
            finding.waits.push_back({.thread = wait.thread("thread"),
                                     .operation = operation(wait),
                                     .blockers = wait.threads("blockers"),
                                     .source = wait.text_or_empty("source"),
                                     .stack = stack_number(wait, stacks)});
        }
    }
    if (reader.has("race")) {
        if (finding.kind != FindingKind::Race) {
            reader.fail("has a \"race\" but is none");
        }
        finding.race = race(reader, stacks);
    }
    const bool is_deadlock = finding.kind == FindingKind::Deadlock;
    if (is_deadlock == finding.waits.empty()) {
        reader.fail(is_deadlock ? "is a deadlock without \"waits\"" : "has \"waits\" but is no deadlock");
    }
    if (!is_deadlock && (finding.thread.empty() || !finding.operation)) {
        reader.fail(R"(needs "thread" and "at" unless it is a deadlock)");
    }
    return finding;
}

TraceVariant variant(const Reader& reader) {
    TraceVariant variant;
    if (reader.has("variant")) {
        variant.kind = reader.one_of<Variant::Kind>("variant");
    }
    variant.threads = reader.threads("wakes");
    variant.value = reader.number_or_zero<std::uint32_t>("value");
    const bool wakes = variant.kind == Variant::Kind::Wake || variant.kind == Variant::Kind::Subset;
    if (wakes == variant.threads.empty() ||
        (variant.kind == Variant::Kind::Wake && variant.threads.size() != 1)) {
        reader.fail_at("wakes", "does not fit the variant");
    }
    if (variant.kind != Variant::Kind::Value && reader.has("value")) {
        reader.fail_at("value", "does not fit the variant");
    }
    return variant;
}

TraceStep step(const Json& json, const std::string& name, const std::string& where, std::size_t stacks) {
    const Reader reader(
        json, name, where,
        {"thread",      "switch", "operation", "object",  "mutex",  "target", "location", "exit_code",
         "looks_again", "timed",  "runtime",   "variant", "wakes",  "value",  "result",   "occurrence",
         "source",      "stack",  "takes",     "gives",   "blocks", "frees"});
    TraceStep step;
    step.thread = reader.thread("thread");
    step.switched = reader.one_of<SwitchKind>("switch");
    step.operation = operation(reader);
    step.variant = variant(reader);
    step.result = reader.number_or_zero<int>("result");
    step.occurrence = reader.number_or_zero<std::uint32_t>("occurrence");
    step.source = reader.text_or_empty("source");
    step.stack = stack_number(reader, stacks);
    step.takes = reader.texts("takes");
    step.gives = reader.texts("gives");
    step.blocks = reader.threads("blocks");
    step.frees = reader.threads("frees");
    return step;
}

std::vector<TraceStep> steps(const Reader& reader, const char* key, const std::string& what,
                             std::size_t stacks) {
    if (reader.array(key).size() > most_steps) {
        reader.fail_at(key, "has more than " + std::to_string(most_steps) + " steps");
    }
    std::vector<TraceStep> steps;
    for (const Json& entry : reader.array(key)) {
        steps.push_back(step(entry, reader.name(), what + " " + std::to_string(steps.size() + 1), stacks));
    }
    return steps;
}

std::vector<std::vector<std::string>> stacks(const Reader& top) {
    std::vector<std::vector<std::string>> stacks;
    if (!top.has("stacks")) {
        return stacks;
    }
    for (const Json& entry : top.array("stacks")) {
        stacks.push_back(top.texts_of(entry, "stacks"));
    }
    return stacks;
}

std::vector<TracePlace> places(const Reader& top) {
    std::vector<TracePlace> places;
    if (!top.has("places")) {
        return places;
    }
    for (const Json& entry : top.array("places")) {
        const Reader reader(entry, top.name(), "place " + std::to_string(places.size() + 1),
                            {"source", "path", "line", "first_line", "lines"});
        places.push_back({.source = reader.text("source"),
                          .path = reader.text_or_empty("path"),
                          .line = reader.number_or_zero<std::uint32_t>("line"),
                          .first_line = reader.number_or_zero<std::uint32_t>("first_line"),
                          .lines = reader.texts("lines")});
    }
    return places;
}

std::map<std::string, std::string> labels(const Reader& top) {
    std::map<std::string, std::string> labels;
    if (!top.has("labels")) {
        return labels;
    }
    if (!top.value("labels").is_object()) {
        top.fail_at("labels", "is not an object");
    }
    for (const auto& [object, label] : top.value("labels").items()) {
        labels.emplace(top.text_of(object, "labels"), top.text_of(label, "labels"));
    }
    return labels;
}

TraceDecision decision(const Reader& top, std::size_t number_of_steps, std::size_t stacks) {
    const Reader reader(top.value("decision"), top.name(), "the decision", {"step", "passing"});
    const auto number = reader.number<std::uint32_t>("step");
    if (number == 0 || number > number_of_steps + 1) {
        reader.fail_at("step", "is not the number of a step");
    }
    return {number - 1, steps(reader, "passing", "passing step", stacks)};
}

Json parse(std::string_view text, const std::string& name) {
    const auto no_deeper = [&](int depth, Json::parse_event_t /*event*/, Json& /*parsed*/) {
        if (depth > deepest) {
            throw Error(name + ": lists and objects are nested deeper than in any trace" +
                        JsonReader::make_anew);
        }
        return true;
    };
    try {
        return Json::parse(text.begin(), text.end(), no_deeper);
    } catch (const Json::parse_error& error) {
        // Its text repeats pieces of the file; where it went wrong is enough.
        const std::string_view read = text.substr(0, error.byte == 0 ? 0 : error.byte - 1);
        const auto line = std::count(read.begin(), read.end(), '\n') + 1;
        const std::size_t line_start = read.rfind('\n') == std::string_view::npos ? 0 : read.rfind('\n') + 1;
        throw Error(name + ": is not JSON, or not complete, from line " + std::to_string(line) + ", column " +
                    std::to_string(read.size() - line_start + 1) + " on" + JsonReader::make_anew);
    } catch (const Json::exception& error) {
        // For example a number that no type can hold.
        throw Error(name + ": is not JSON that coopcheck can read" + JsonReader::make_anew);
    }
}

/// What can be said before the keys are known to be those of our version.
void check_version(const Json& json, const std::string& name) {
    if (!json.is_object() || !json.contains("format") || json["format"] != "coopcheck-trace") {
        throw Error(name + ": is not a trace of coopcheck; traces are written by coopcheck explore.");
    }
    if (!json.contains("version") || !json["version"].is_number_unsigned() || json["version"] == 0) {
        throw Error(name + ": has no version number" + JsonReader::make_anew);
    }
    if (json["version"].get<std::uint64_t>() > trace_version) {
        throw Error(name + ": has version " + std::to_string(json["version"].get<std::uint64_t>()) +
                    " of the trace format, this coopcheck reads up to version " +
                    std::to_string(trace_version) + "; use a newer coopcheck.");
    }
}

}  // namespace

Trace trace_from_json(std::string_view text, const std::string& name) {
    const Json json = parse(text, name);
    check_version(json, name);
    const Reader reader(
        json, name, "the trace",
        {"format", "version", "tool", "program", "options", "finding", "preemptions", "minimal",
         "minimal_open", "output", "output_cut", "labels", "steps", "decision", "stacks", "places"});
    Trace trace;
    trace.tool = reader.text("tool");
    trace.program = program(reader);
    trace.options = options(reader);
    trace.stacks = stacks(reader);
    trace.places = places(reader);
    trace.labels = labels(reader);
    trace.finding = finding(reader, trace.stacks.size());
    trace.preemptions = reader.number<unsigned>("preemptions");
    trace.minimal = reader.required_flag("minimal");
    trace.minimal_open = reader.text_or_empty("minimal_open");
    trace.output = reader.text_or_empty("output");
    trace.output_cut = reader.flag("output_cut");
    trace.steps = steps(reader, "steps", "step", trace.stacks.size());
    if (reader.has("decision")) {
        trace.decision = decision(reader, trace.steps.size(), trace.stacks.size());
    }
    if (trace.preemptions != count_preemptions(trace.steps)) {
        reader.fail_at("preemptions", "is not the number of steps that are preemptions");
    }
    return trace;
}

}  // namespace coopcheck
