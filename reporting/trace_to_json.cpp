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

void put_number(Json& json, const char* key, std::size_t number) {
    if (number != 0) {
        json[key] = number;
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

Json access(const TraceAccess& access) {
    Json json;
    json["thread"] = bytes_to_text(access.thread);
    put(json, access.operation);
    json["size"] = access.size;
    put_flag(json, "freed", access.freed);
    put(json, "before", access.before);
    put(json, "after", access.after);
    put(json, "instruction", access.instruction);
    put(json, "locks", access.locks);
    put(json, "source", access.source);
    put_number(json, "stack", access.stack);
    return json;
}

Json race(const TraceRace& race) {
    Json json;
    json["first"] = access(race.first);
    json["second"] = access(race.second);
    if (race.allocation) {
        Json& allocation = json["allocation"];
        allocation["thread"] = bytes_to_text(race.allocation->thread);
        allocation["size"] = race.allocation->size;
        allocation["offset"] = race.allocation->offset;
        put(allocation, "source", race.allocation->source);
    }
    put_flag(json, "apart", race.apart);
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
        put_number(entry, "stack", wait.stack);
        json["waits"].push_back(std::move(entry));
    }
    if (finding.race) {
        json["race"] = race(*finding.race);
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
    put_number(json, "occurrence", step.occurrence);
    put(json, "source", step.source);
    put_number(json, "stack", step.stack);
    put(json, "takes", step.takes);
    put(json, "gives", step.gives);
    put(json, "blocks", step.blocks);
    put(json, "frees", step.frees);
    return json;
}

Json place(const TracePlace& place) {
    Json json;
    json["source"] = bytes_to_text(place.source);
    put(json, "path", place.path);
    put_number(json, "line", place.line);
    put_number(json, "first_line", place.first_line);
    put(json, "lines", place.lines);
    return json;
}

Json stack(const std::vector<std::string>& stack) {
    Json json = Json::array();
    for (const std::string& source : stack) {
        json.push_back(bytes_to_text(source));
    }
    return json;
}

/// A list with an element a line.
template <typename Elements, typename ToJson>
std::string list(const Elements& elements, ToJson to_json) {
    std::string text = "[\n";
    for (std::size_t i = 0; i < elements.size(); ++i) {
        text += "  " + to_json(elements[i]).dump() + (i + 1 < elements.size() ? ",\n" : "\n");
    }
    return text + "]";
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
    if (!trace.minimal_open.empty()) {
        line("minimal_open", bytes_to_text(trace.minimal_open));
    }
    if (!trace.output.empty()) {
        line("output", bytes_to_text(trace.output));
    }
    if (trace.output_cut) {
        line("output_cut", true);
    }
    if (!trace.labels.empty()) {
        Json labels;
        for (const auto& [object, label] : trace.labels) {
            labels[bytes_to_text(object)] = bytes_to_text(label);
        }
        line("labels", labels);
    }
    text += "\"steps\": " + list(trace.steps, step);
    if (trace.decision) {
        text += ",\n\"decision\": {\"step\": " + std::to_string(trace.decision->step + 1) +
                ", \"passing\": " + list(trace.decision->passing, step) + "}";
    }
    if (!trace.stacks.empty()) {
        text += ",\n\"stacks\": " + list(trace.stacks, stack);
    }
    if (!trace.places.empty()) {
        text += ",\n\"places\": " + list(trace.places, place);
    }
    return text + "\n}\n";
}

}  // namespace coopcheck
