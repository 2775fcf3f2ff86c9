#include <nlohmann/json.hpp>

#include "reporting/bytes_as_text.hpp"
#include "reporting/trace_file.hpp"
#include "reporting/trace_names.hpp"

namespace coopcheck {

namespace {

using Json = nlohmann::ordered_json;

/// What is empty is left out.
void put(Json& json, const char* key, const std::string& text) {
    if (!text.empty()) {
        json[key] = bytes_to_text(text);
    }
}

void put(Json& json, const char* key, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
        json[key].push_back(bytes_to_text(text));
    }
}

void put_flag(Json& json, const char* key, bool flag) {
    if (flag) {
        json[key] = true;
    }
}

void put(Json& json, const TraceOperation& operation) {
    json["operation"] = file_name(operation.kind);
    put(json, "object", operation.object);
    put(json, "mutex", operation.mutex);
    put(json, "target", operation.thread);
    put(json, "location", operation.location);
    if (operation.exit_code != 0) {
        json["exit_code"] = operation.exit_code;
    }
    put_flag(json, "looks_again", operation.looks_again);
    put_flag(json, "timed", operation.timed);
    put_flag(json, "runtime", operation.runtime);
}

Json program(const TraceProgram& program) {
    Json json;
    json["path"] = bytes_to_text(program.path);
    json["absolute_path"] = bytes_to_text(program.absolute_path);
    json["arguments"] = Json::array();
    put(json, "arguments", program.arguments);
    put(json, "build_id", program.build_id);
    if (program.input) {
        Json& input = json["input"];
        input["bytes"] = program.input->bytes;
        input["hash"] = bytes_to_text(program.input->hash);
        if (program.input->text) {
            input["text"] = bytes_to_text(*program.input->text);
        }
    }
    return json;
}

Json options(const TraceOptions& options) {
    Json json;
    json["timeouts"] = options.explore_timeouts ? "explore" : "lazy";
    json["spurious"] = options.spurious_wakeups;
    put(json, "visible", options.visible);
    return json;
}

Json finding(const TraceFinding& finding) {
    Json json;
    json["kind"] = file_name(finding.kind);
    put(json, "thread", finding.thread);
    if (finding.misuse) {
        json["misuse"] = file_name(*finding.misuse);
    }
    if (finding.operation) {
        put(json["at"], *finding.operation);
    }
    put(json, "source", finding.source);
    put(json, "message", finding.message);
    put_flag(json, "cycle", finding.is_cycle);
    put_flag(json, "predicted", !finding.confirmed);
    for (const TraceWait& wait : finding.waits) {
        Json entry;
        entry["thread"] = bytes_to_text(wait.thread);
        put(entry, wait.operation);
        put(entry, "blockers", wait.blockers);
        put(entry, "source", wait.source);
        json["waits"].push_back(std::move(entry));
    }
    return json;
}

Json step(const TraceStep& step) {
    Json json;
    json["thread"] = bytes_to_text(step.thread);
    json["switch"] = file_name(step.switched);
    put(json, step.operation);
    if (step.variant.kind != Variant::Kind::Normal) {
        json["variant"] = file_name(step.variant.kind);
        put(json, "wakes", step.variant.threads);
        if (step.variant.kind == Variant::Kind::Value) {
            json["value"] = step.variant.value;
        }
    }
    if (step.result != 0) {
        json["result"] = step.result;
    }
    if (step.occurrence != 0) {
        json["occurrence"] = step.occurrence;
    }
    put(json, "source", step.source);
    return json;
}

}  // namespace

std::string to_json(const Trace& trace) {
    std::string text = "{\n";
    const auto line = [&](const char* key, const Json& value) {
        text += "\"" + std::string(key) + "\": " + value.dump() + ",\n";
    };
    line("format", "coopcheck-trace");
    line("version", trace_version);
    line("tool", bytes_to_text(trace.tool));
    line("program", program(trace.program));
    line("options", options(trace.options));
    line("finding", finding(trace.finding));
    line("preemptions", trace.preemptions);
    line("minimal", trace.minimal);
    if (!trace.output.empty()) {
        line("output", bytes_to_text(trace.output));
    }
    if (trace.output_cut) {
        line("output_cut", true);
    }
    text += "\"steps\": [\n";
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
        text += "  " + step(trace.steps[i]).dump() + (i + 1 < trace.steps.size() ? ",\n" : "\n");
    }
    return text + "]\n}\n";
}

}  // namespace coopcheck
