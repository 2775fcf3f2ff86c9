#include "reporting/race_words.hpp"

#include <vector>

#include "reporting/bytes_as_text.hpp"
#include "reporting/source_line.hpp"
#include "reporting/step_words.hpp"

namespace coopcheck {

namespace {

std::string bytes(std::uint64_t count) { return std::to_string(count) + (count == 1 ? " byte" : " bytes"); }

std::string list_of(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " and ") + words[i];
    }
    return text;
}

std::string calls(const Trace& trace, const TraceAccess& access) {
    std::string text;
    if (access.stack == 0 || access.stack > trace.stacks.size()) {
        return text;
    }
    const std::vector<std::string>& stack = trace.stacks[access.stack - 1];
    for (std::size_t i = 0; i < stack.size(); ++i) {
        if (i > 0 || stack[i] != access.source) {
            text += "      called from " + printable(stack[i]) + '\n';
        }
    }
    return text;
}

std::string access_report(const Trace& trace, const TraceAccess& access, const Paint& paint) {
    std::string text = "  " + printable(access.thread) + ' ' + access_words(access) + ", " +
                       lock_words(access) +
                       (access.source.empty() ? "" : "  at " + printable(access.source)) + '\n' +
                       source_line(trace, access.source, paint, "      ");
    if (!access.instruction.empty()) {
        text += "      " + paint.faint("instruction " + printable(access.instruction)) + '\n';
    }
    return text + calls(trace, access);
}

}  // namespace

std::string race_in_short(const TraceRace& race) {
    const std::string& memory =
        race.allocation && race.second.freed ? race.first.operation.location : race.second.operation.location;
    return printable(memory + " between " + race.first.thread + " and " + race.second.thread);
}

std::string access_words(const TraceAccess& access) {
    if (access.freed) {
        return "frees " + bytes(access.size);
    }
    const OpKind kind = access.operation.kind;
    std::string text = kind == OpKind::Read    ? "reads "
                       : kind == OpKind::Write ? "writes "
                                               : "reads and writes ";
    text += bytes(access.size);
    if (!access.before.empty()) {
        text += " (" + printable(access.before) +
                (access.after.empty() ? "" : " -> " + printable(access.after)) + ")";
    }
    return text;
}

std::string lock_words(const TraceAccess& access) {
    return access.locks.empty() ? "with no lock" : "holding " + printable(list_of(access.locks));
}

std::string allocation_words(const TraceAllocation& allocation) {
    return (allocation.offset == 0 ? "the start of" : bytes(allocation.offset) + " into") + " the " +
           bytes(allocation.size) + " that " + printable(allocation.thread) + " allocated" +
           (allocation.source.empty() ? "" : " at " + printable(allocation.source));
}

std::string race_report(const Trace& trace, const Paint& paint) {
    const TraceRace& race = *trace.finding.race;
    const TraceAccess first = labelled(trace, race.first);
    const TraceAccess second = labelled(trace, race.second);
    std::string text = access_report(trace, first, paint) + access_report(trace, second, paint);
    if (race.allocation) {
        text += "  the memory is " + allocation_words(*race.allocation) + '\n';
    }
    return text +
           (race.apart
                ? "  nothing orders the two in this schedule; none was found that puts them next to each "
                  "other\n"
                : "  the schedule ends with both threads before their accesses: either can come first\n");
}

}  // namespace coopcheck
