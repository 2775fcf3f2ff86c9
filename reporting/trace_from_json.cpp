// Reading a trace. The text may come from anywhere: nothing in it is believed before it was looked at.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "core/error.hpp"
#include "reporting/bytes_as_text.hpp"
#include "reporting/trace_file.hpp"
#include "reporting/trace_names.hpp"

namespace coopcheck {

namespace {

using Json = nlohmann::json;

const std::string make_anew = "; make the trace anew with coopcheck explore.";

/// The trace itself nests four deep (a list in a wait in a finding in the trace).
constexpr int deepest = 8;

/// An object of the file, and where in the file it is.
class Reader {
  public:
    Reader(const Json& json, std::string name, std::string where,
           std::initializer_list<std::string_view> known_keys)
        : json_(json), name_(std::move(name)), where_(std::move(where)) {
        if (!json.is_object()) {
            fail("is not an object");
        }
        for (const auto& [key, value] : json.items()) {
            if (std::find(known_keys.begin(), known_keys.end(), key) == known_keys.end()) {
                fail("has the unknown key \"" + printable(key) + "\"");
            }
        }
    }

    [[nodiscard]] bool has(const char* key) const { return json_.contains(key); }
    [[nodiscard]] const Json& value(const char* key) const {
        if (!has(key)) {
            fail("has no \"" + std::string(key) + "\"");
        }
        return json_[key];
    }
    [[nodiscard]] std::string text(const char* key) const { return text(value(key), key); }
    [[nodiscard]] std::string text_or_empty(const char* key) const { return has(key) ? text(key) : ""; }
    [[nodiscard]] std::vector<std::string> texts(const char* key) const {
        std::vector<std::string> all;
        if (has(key)) {
            for (const Json& element : array(key)) {
                all.push_back(text(element, key));
            }
        }
        return all;
    }
    [[nodiscard]] const Json& array(const char* key) const {
        if (!value(key).is_array()) {
            fail_at(key, "is not a list");
        }
        return value(key);
    }
    [[nodiscard]] bool flag(const char* key) const { return has(key) && required_flag(key); }
    [[nodiscard]] bool required_flag(const char* key) const {
        if (!value(key).is_boolean()) {
            fail_at(key, "is neither true nor false");
        }
        return value(key).get<bool>();
    }
    template <typename Number>
    [[nodiscard]] Number number(const char* key) const {
        const Json& json = value(key);
        bool fits = false;
        if (json.is_number_unsigned()) {
            fits =
                json.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
        } else if (json.is_number_integer()) {
            fits = std::is_signed_v<Number> &&
                   json.get<std::int64_t>() >= static_cast<std::int64_t>(std::numeric_limits<Number>::min());
        }
        if (!fits) {
            fail_at(key, "is not a whole number of a sensible size");
        }
        return json.get<Number>();
    }
    template <typename Number>
    [[nodiscard]] Number number_or_zero(const char* key) const {
        return has(key) ? number<Number>(key) : Number{0};
    }
    template <typename Enumeration>
    [[nodiscard]] Enumeration one_of(const char* key) const {
        const std::string word = text(key);
        const std::optional<Enumeration> value = from_file_name<Enumeration>(word);
        if (!value) {
            fail_at(key, "is \"" + printable(word) + "\", which this coopcheck does not know");
        }
        return *value;
    }
    /// "T0.1.2"
    [[nodiscard]] std::string thread(const char* key) const { return checked_thread(text(key), key); }
    [[nodiscard]] std::vector<std::string> threads(const char* key) const {
        std::vector<std::string> all = texts(key);
        for (const std::string& name : all) {
            static_cast<void>(checked_thread(name, key));
        }
        return all;
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw Error(name_ + ": " + where_ + " " + what + make_anew);
    }
    [[noreturn]] void fail_at(const char* key, const std::string& what) const {
        throw Error(name_ + ": " + where_ + ": \"" + key + "\" " + what + make_anew);
    }
    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    [[nodiscard]] std::string text(const Json& json, const char* key) const {
        if (!json.is_string()) {
            fail_at(key, "is not a text");
        }
        std::optional<std::string> bytes = text_to_bytes(json.get_ref<const std::string&>());
        if (!bytes) {
            fail_at(key, "has a backslash that is followed neither by another one nor by xHH");
        }
        return std::move(*bytes);
    }
    [[nodiscard]] std::string checked_thread(std::string name, const char* key) const {
        bool digit = false;  // the character before was one
        bool sound = name.starts_with("T0");
        for (std::size_t at = 1; at < name.size() && sound; ++at) {
            const bool is_digit = std::isdigit(static_cast<unsigned char>(name[at])) != 0;
            sound = is_digit || (name[at] == '.' && digit);
            digit = is_digit;
        }
        if (!sound || !digit) {
            fail_at(key, "is \"" + printable(name) + "\", which names no thread (T0, T0.1, ...)");
        }
        return name;
    }

    const Json& json_;
    std::string name_;
    std::string where_;
};

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

TraceFinding finding(const Reader& top) {
    const Reader reader(
        top.value("finding"), top.name(), "the finding",
        {"kind", "thread", "misuse", "at", "source", "message", "cycle", "predicted", "waits"});
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
                               "looks_again", "timed", "runtime", "blockers", "source"});
            finding.waits.push_back({.thread = wait.thread("thread"),
                                     .operation = operation(wait),
                                     .blockers = wait.threads("blockers"),
                                     .source = wait.text_or_empty("source")});
        }
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

TraceStep step(const Json& json, const std::string& name, std::size_t number) {
    const Reader reader(
        json, name, "step " + std::to_string(number),
        {"thread", "switch", "operation", "object", "mutex", "target", "location", "exit_code", "looks_again",
         "timed", "runtime", "variant", "wakes", "value", "result", "occurrence", "source"});
    TraceStep step;
    step.thread = reader.thread("thread");
    step.switched = reader.one_of<SwitchKind>("switch");
    step.operation = operation(reader);
    step.variant = variant(reader);
    step.result = reader.number_or_zero<int>("result");
    step.occurrence = reader.number_or_zero<std::uint32_t>("occurrence");
    step.source = reader.text_or_empty("source");
    return step;
}

Json parse(std::string_view text, const std::string& name) {
    const auto no_deeper = [&](int depth, Json::parse_event_t /*event*/, Json& /*parsed*/) {
        if (depth > deepest) {
            throw Error(name + ": lists and objects are nested deeper than in any trace" + make_anew);
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
                    std::to_string(read.size() - line_start + 1) + " on" + make_anew);
    } catch (const Json::exception& error) {
        // For example a number that no type can hold.
        throw Error(name + ": is not JSON that coopcheck can read" + make_anew);
    }
}

/// What can be said before the keys are known to be those of our version.
void check_version(const Json& json, const std::string& name) {
    if (!json.is_object() || !json.contains("format") || json["format"] != "coopcheck-trace") {
        throw Error(name + ": is not a trace of coopcheck; traces are written by coopcheck explore.");
    }
    if (!json.contains("version") || !json["version"].is_number_unsigned() || json["version"] == 0) {
        throw Error(name + ": has no version number" + make_anew);
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
    const Reader reader(json, name, "the trace",
                        {"format", "version", "tool", "program", "options", "finding", "preemptions",
                         "minimal", "output", "output_cut", "steps"});
    Trace trace;
    trace.tool = reader.text("tool");
    trace.program = program(reader);
    trace.options = options(reader);
    trace.finding = finding(reader);
    trace.preemptions = reader.number<unsigned>("preemptions");
    trace.minimal = reader.required_flag("minimal");
    trace.output = reader.text_or_empty("output");
    trace.output_cut = reader.flag("output_cut");
    for (const Json& entry : reader.array("steps")) {
        trace.steps.push_back(step(entry, name, trace.steps.size() + 1));
    }
    if (trace.preemptions != count_preemptions(trace.steps)) {
        reader.fail_at("preemptions", "is not the number of steps that are preemptions");
    }
    return trace;
}

}  // namespace coopcheck
