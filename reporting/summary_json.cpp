#include "reporting/summary_json.hpp"

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

Json texts(const std::vector<std::string>& all) {
    Json json = Json::array();
    for (const std::string& text : all) {
        json.push_back(printable(text, true));
    }
    return json;
}

Json place(const FindingPlace& place) {
    Json json;
    json["function"] = printable(place.function);
    json["file"] = printable(place.file);
    json["path"] = printable(place.path);
    json["line"] = place.line;
    json["text"] = printable(place.text);
    return json;
}

Json access(const Trace& trace, const TraceAccess& access) {
    const TraceAccess named = labelled(trace, access);
    Json json;
    json["thread"] = printable(named.thread);
    json["access"] = file_name(named.operation.kind);
    json["freed"] = named.freed;
    json["size"] = named.size;
    json["before"] = printable(named.before);
    json["after"] = printable(named.after);
    json["words"] = access_words(named) + ", " + lock_words(named);
    json["locks"] = texts(named.locks);
    json["instruction"] = printable(named.instruction);
    json["place"] = place(place_of(trace, named.source));
    json["source"] = printable(named.source);
    json["stack"] = Json::array();
    if (named.stack != 0 && named.stack <= trace.stacks.size()) {
        json["stack"] = texts(trace.stacks[named.stack - 1]);
    }
    return json;
}

Json race(const Trace& trace, const TraceRace& race) {
    Json json;
    json["object"] = printable(label_of(trace, race.second.operation.location));
    json["side_by_side"] = !race.apart;
    json["accesses"] = Json::array({access(trace, race.first), access(trace, race.second)});
    if (race.allocation) {
        json["allocation"] = {{"thread", printable(race.allocation->thread)},
                              {"size", race.allocation->size},
                              {"offset", race.allocation->offset},
                              {"source", printable(race.allocation->source)},
                              {"words", allocation_words(*race.allocation)}};
    }
    return json;
}

Json finding(const ReportedFinding& reported) {
    const Trace& trace = reported.trace;
    Json json;
    json["kind"] = file_name(trace.finding.kind);
    json["title"] = describe(labelled(trace, trace.finding));
    json["message"] = printable(trace.finding.message);
    json["thread"] = printable(trace.finding.thread);
    json["place"] = place(place_of(trace));
    json["confirmed"] = trace.finding.confirmed;
    json["preemptions"] = trace.preemptions;
    json["minimal"] = trace.minimal;
    json["steps"] = trace.steps.size();
    if (trace.decision) {
        json["decisive_step"] = trace.decision->step + 1;
    }
    if (!trace.finding.waits.empty()) {
        json["cycle"] = trace.finding.is_cycle ? printable(describe_cycle(trace)) : "";
        for (const TraceWait& wait : trace.finding.waits) {
            Json entry;
            entry["thread"] = printable(wait.thread);
            entry["operation"] = file_name(wait.operation.kind);
            entry["object"] = printable(label_of(trace, wait.operation.object));
            entry["blockers"] = texts(wait.blockers);
            entry["source"] = printable(wait.source);
            json["waits"].push_back(std::move(entry));
        }
    }
    if (trace.finding.race) {
        json["race"] = race(trace, *trace.finding.race);
    }
    json["output"] = printable(trace.output, true);
    json["trace"] = printable(reported.file);
    json["replay"] = printable(reported.replay_command);
    return json;
}

Json coverage(const std::vector<CoverageTask>& tasks) {
    Json json = Json::array();
    for (const CoverageTask& task : tasks) {
        Json entry;
        entry["function"] = printable(task.function);
        entry["interrupted"] = task.interrupted;
        if (!task.by.empty()) {
            entry["by"] = printable(task.by);
        }
        entry["covered"] = task.covered;
        json.push_back(std::move(entry));
    }
    return json;
}

Json run(const RunSummary& summary) {
    Json json;
    json["name"] = printable(summary.name);
    json["program"] = printable(summary.program.path);
    json["arguments"] = texts(summary.program.arguments);
    json["build_id"] = printable(summary.program.build_id);
    json["strategy"] = summary.strategy;
    json["exit_code"] = summary.exit_code;
    json["complete"] = summary.complete;
    json["interrupted"] = summary.interrupted;
    if (!summary.error.empty()) {
        json["error"] = printable(summary.error);
    }
    json["claims"] = texts(summary.claims);
    json["conditions"] = texts(summary.conditions);
    if (!summary.undisciplined.empty()) {
        for (const Trace& trace : summary.undisciplined) {
            json["undisciplined"].push_back(race(trace, *trace.finding.race));
        }
    }
    if (!summary.suppressions.empty()) {
        json["suppressions"] = texts(summary.suppressions);
    }
    json["seconds"] = summary.seconds;
    json["counts"] = Json::object();
    for (const auto& [name, count] : summary.counts) {
        json["counts"][name] = count;
    }
    json["paths_at_bound"] = summary.paths_at_bound;
    json["findings"] = Json::array();
    for (const ReportedFinding& reported : summary.findings) {
        json["findings"].push_back(finding(reported));
    }
    json["progress"] = Json::array();
    for (const ProgressSample& sample : summary.progress) {
        json["progress"].push_back(
            {{"seconds", sample.seconds}, {"schedules", sample.schedules}, {"bound", sample.bound}});
    }
    json["estimates"] = Json::array();
    for (const BoundEstimate& estimate : summary.estimates) {
        json["estimates"].push_back({{"bound", estimate.bound},
                                     {"log10_schedules", estimate.log10_schedules},
                                     {"relative_error", estimate.relative_error},
                                     {"walks", estimate.walks}});
    }
    if (!summary.storage.empty()) {
        for (const StorageRow& row : summary.storage) {
            json["storage"].push_back({{"memory", printable(row.memory)},
                                       {"class", row.storage},
                                       {"locks", texts(row.locks)},
                                       {"threads", texts(row.threads)},
                                       {"bytes", row.bytes}});
        }
    }
    json["coverage"] = coverage(summary.coverage);
    return json;
}

}  // namespace

std::string summary_json(const std::vector<RunSummary>& runs) {
    Json json;
    json["format"] = "coopcheck-report";
    json["version"] = report_version;
    json["tool"] = runs.empty() ? "" : printable(runs.front().tool);
    json["runs"] = Json::array();
    for (const RunSummary& summary : runs) {
        json["runs"].push_back(run(summary));
    }
    return json.dump(1) + "\n";
}

}  // namespace coopcheck
