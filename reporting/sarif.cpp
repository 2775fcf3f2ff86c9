#include "reporting/sarif.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

#include "reporting/bytes_as_text.hpp"
#include "reporting/finding_place.hpp"
#include "reporting/race_words.hpp"
#include "reporting/step_words.hpp"
#include "reporting/text_report.hpp"
#include "reporting/trace_names.hpp"

namespace coopcheck {

namespace {

using Json = nlohmann::ordered_json;

/// A code flow is for people; one of ten thousand locations is for nobody.
constexpr std::size_t most_locations = 2'000;

constexpr std::array kinds{FindingKind::Deadlock, FindingKind::Assertion,   FindingKind::Crash,
                           FindingKind::BadExit,  FindingKind::WrongOutput, FindingKind::Race,
                           FindingKind::Misuse,   FindingKind::Livelock};

std::string rule_text(FindingKind kind) {
    switch (kind) {
        case FindingKind::Deadlock:
            return "Threads wait for each other, or for something that nobody will do.";
        case FindingKind::Assertion:
            return "An assertion fails in some schedule.";
        case FindingKind::Crash:
            return "The program dies of a signal in some schedule.";
        case FindingKind::BadExit:
            return "The program ends with an exit code that is not the expected one.";
        case FindingKind::WrongOutput:
            return "The program writes something else than expected in some schedule.";
        case FindingKind::Race:
            return "Two threads access the same memory without order, one of them writing.";
        case FindingKind::Misuse:
            return "A synchronization primitive is used in a way that its rules forbid.";
        case FindingKind::Livelock:
            return "Threads go round in a circle that nobody can end.";
    }
    return "";
}

/// A path as a URI: what RFC 3986 does not reserve stays, the rest is %HH.
std::string uri(const std::string& path) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string text = path.starts_with('/') ? "file://" : "";
    for (const char letter : path) {
        const auto byte = static_cast<unsigned char>(letter);
        if (std::isalnum(byte) != 0 || std::string_view("-._~/").find(letter) != std::string_view::npos) {
            text += letter;
        } else {
            text += '%';
            text += digits[byte >> 4U];
            text += digits[byte & 15U];
        }
    }
    return text;
}

Json message(const std::string& text) { return {{"text", text}}; }

Json location(const FindingPlace& place, const std::string& text) {
    Json json = Json::object();
    if (place.line > 0) {
        Json& physical = json["physicalLocation"];
        physical["artifactLocation"]["uri"] = uri(place.path.empty() ? place.file : place.path);
        physical["region"]["startLine"] = place.line;
        if (!place.text.empty()) {
            physical["region"]["snippet"] = message(printable(place.text));
        }
    }
    if (!place.function.empty()) {
        json["logicalLocations"] =
            Json::array({{{"fullyQualifiedName", printable(place.function)}, {"kind", "function"}}});
    }
    if (!text.empty()) {
        json["message"] = message(text);
    }
    return json;
}

Json location(const Trace& trace, const std::string& source, const std::string& text) {
    return location(place_of(trace, source), text);
}

Json stack_of(const Trace& trace, std::size_t number) {
    Json frames = Json::array();
    if (number != 0 && number <= trace.stacks.size()) {
        for (const std::string& source : trace.stacks[number - 1]) {
            frames.push_back({{"location", location(trace, source, "")}});
        }
    }
    return {{"frames", frames}};
}

Json code_flow(const Trace& trace) {
    const auto functions = thread_functions(trace);
    std::map<std::string, Json> flows;
    const std::size_t first = trace.steps.size() > most_locations ? trace.steps.size() - most_locations : 0;
    const auto add = [&](const std::string& thread, std::size_t order, const std::string& source,
                         std::size_t stack, const std::string& words, bool important) {
        Json entry;
        entry["location"] = location(trace, source, words);
        if (stack != 0) {
            entry["stack"] = stack_of(trace, stack);
        }
        entry["executionOrder"] = order;
        entry["importance"] = important ? "essential" : "important";
        flows[thread].push_back(std::move(entry));
    };
    for (std::size_t i = first; i < trace.steps.size(); ++i) {
        const TraceStep& step = trace.steps[i];
        const bool preemption = step.switched == SwitchKind::Preemption;
        const bool decisive = trace.decision && trace.decision->step == i;
        add(step.thread, i + 1, own_source(step), step.stack,
            short_words(trace, step) + (preemption ? " (preemption)" : "") + (decisive ? " (decisive)" : ""),
            preemption || decisive);
    }
    for (const TraceWait& wait : trace.finding.waits) {
        add(wait.thread, trace.steps.size() + 1, wait.source, wait.stack,
            "waits for ever: " + short_words(trace, wait.operation), true);
    }
    if (trace.finding.race) {
        const TraceRace& race = *trace.finding.race;
        for (const TraceAccess* access : {&race.first, &race.second}) {
            add(access->thread, trace.steps.size() + 1, access->source, access->stack,
                access_words(labelled(trace, *access)) + " of " +
                    printable(label_of(trace, access->operation.location)),
                true);
        }
    }
    Json json;
    json["message"] = message("The schedule, in " + std::to_string(trace.steps.size()) + " steps with " +
                              std::to_string(trace.preemptions) + " preemptions");
    json["threadFlows"] = Json::array();
    for (auto& [thread, locations] : flows) {
        const auto function = functions.find(thread);
        Json flow;
        flow["id"] = printable(thread);
        flow["message"] =
            message(printable(thread + (function == functions.end() ? "" : " " + function->second)));
        flow["locations"] = std::move(locations);
        json["threadFlows"].push_back(std::move(flow));
    }
    return json;
}

/// "T0.1 writes 4 bytes (0x0 -> 0x1), with no lock, at add file.c:10. "
std::string sentence(const Trace& trace, const TraceAccess& access) {
    const TraceAccess named = labelled(trace, access);
    return printable(named.thread) + " " + access_words(named) + ", " + lock_words(named) +
           (named.source.empty() ? "" : ", at " + printable(named.source)) + ". ";
}

Json result(const ReportedFinding& reported) {
    const Trace& trace = reported.trace;
    const auto* const kind = std::find(kinds.begin(), kinds.end(), trace.finding.kind);
    Json json;
    json["ruleId"] = file_name(trace.finding.kind);
    json["ruleIndex"] = kind - kinds.begin();
    json["level"] = trace.finding.confirmed ? "error" : "warning";
    std::string text = describe(labelled(trace, trace.finding)) + ".";
    if (trace.finding.is_cycle) {
        text += " " + printable(describe_cycle(trace)) + ".";
    }
    if (trace.finding.race) {
        text +=
            " " + sentence(trace, trace.finding.race->first) + sentence(trace, trace.finding.race->second);
    }
    if (!reported.replay_command.empty()) {
        text += " Replay: " + printable(reported.replay_command);
    }
    json["message"] = message(text);
    json["locations"] = Json::array();
    if (trace.finding.race) {
        const TraceRace& race = *trace.finding.race;
        for (const TraceAccess* access : {&race.second, &race.first}) {
            const TraceAccess named = labelled(trace, *access);
            json["locations"].push_back(
                location(trace, access->source,
                         printable(access->thread) + " " + access_words(named) + ", " + lock_words(named)));
        }
        // Readers that show one location only still lead to the other.
        Json other = location(trace, race.first.source, "the other access");
        other["id"] = 1;
        json["relatedLocations"] = Json::array({other});
    } else if (trace.finding.waits.empty()) {
        json["locations"].push_back(location(place_of(trace), ""));
    }
    for (const TraceWait& wait : trace.finding.waits) {
        json["locations"].push_back(location(
            trace, wait.source, printable(wait.thread) + " waits: " + short_words(trace, wait.operation)));
    }
    if (!trace.steps.empty()) {
        json["codeFlows"] = Json::array({code_flow(trace)});
    }
    if (!reported.file.empty()) {
        json["attachments"] = Json::array({{{"description", message("The trace, for coopcheck replay")},
                                            {"artifactLocation", {{"uri", uri(reported.file)}}}}});
    }
    return json;
}

Json rules() {
    Json json = Json::array();
    for (const FindingKind kind : kinds) {
        json.push_back({{"id", file_name(kind)},
                        {"shortDescription", message(rule_text(kind))},
                        {"defaultConfiguration", {{"level", "error"}}}});
    }
    return json;
}

}  // namespace

std::string sarif_json(const std::vector<RunSummary>& runs) {
    Json json;
    json["$schema"] =
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
    json["version"] = "2.1.0";
    json["runs"] = Json::array();
    for (const RunSummary& summary : runs) {
        Json run;
        Json& driver = run["tool"]["driver"];
        driver["name"] = "coopcheck";
        driver["version"] = printable(summary.tool.substr(summary.tool.rfind(' ') + 1));
        driver["rules"] = rules();
        run["automationDetails"] = {{"id", printable("coopcheck/" + summary.name)}};
        Json invocation;
        invocation["executionSuccessful"] = summary.error.empty();
        invocation["exitCode"] = summary.exit_code;
        if (!summary.error.empty()) {
            invocation["toolExecutionNotifications"] =
                Json::array({{{"level", "error"}, {"message", message(printable(summary.error))}}});
        }
        run["invocations"] = Json::array({invocation});
        run["results"] = Json::array();
        for (const ReportedFinding& reported : summary.findings) {
            run["results"].push_back(result(reported));
        }
        json["runs"].push_back(std::move(run));
    }
    return json.dump(1) + "\n";
}

}  // namespace coopcheck
