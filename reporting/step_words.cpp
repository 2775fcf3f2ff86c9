#include "reporting/step_words.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "reporting/bytes_as_text.hpp"

namespace coopcheck {

namespace {

struct Verb {
    OpKind kind;
    std::string_view words;
};

constexpr std::array<Verb, op_kind_count> verbs{{
    {OpKind::ThreadStart, "starts"},
    {OpKind::ThreadCreate, "create"},
    {OpKind::ThreadJoin, "join"},
    {OpKind::ThreadTryJoin, "tryjoin"},
    {OpKind::ThreadExit, "ends"},
    {OpKind::ThreadDetach, "detach"},
    {OpKind::ThreadCancel, "cancel"},
    {OpKind::ThreadTestCancel, "testcancel"},
    {OpKind::MutexLock, "lock"},
    {OpKind::MutexTryLock, "trylock"},
    {OpKind::MutexUnlock, "unlock"},
    {OpKind::MutexConsistent, "make consistent"},
    {OpKind::MutexDestroy, "destroy"},
    {OpKind::CondWait, "wait"},
    {OpKind::CondResume, "return from wait"},
    {OpKind::CondSignal, "signal"},
    {OpKind::CondBroadcast, "broadcast"},
    {OpKind::CondDestroy, "destroy"},
    {OpKind::RwReadLock, "rdlock"},
    {OpKind::RwTryReadLock, "tryrdlock"},
    {OpKind::RwWriteLock, "wrlock"},
    {OpKind::RwWriteResume, "return from wrlock"},
    {OpKind::RwTryWriteLock, "trywrlock"},
    {OpKind::RwUnlock, "unlock"},
    {OpKind::RwDestroy, "destroy"},
    {OpKind::SpinLock, "lock"},
    {OpKind::SpinTryLock, "trylock"},
    {OpKind::SpinUnlock, "unlock"},
    {OpKind::SpinDestroy, "destroy"},
    {OpKind::SemWait, "sem_wait"},
    {OpKind::SemTryWait, "sem_trywait"},
    {OpKind::SemPost, "sem_post"},
    {OpKind::SemGetValue, "sem_getvalue"},
    {OpKind::SemDestroy, "sem_destroy"},
    {OpKind::SemOpen, "sem_open"},
    {OpKind::SemClose, "sem_close"},
    {OpKind::SemUnlink, "sem_unlink"},
    {OpKind::BarrierWait, "arrive at"},
    {OpKind::BarrierResume, "leave"},
    {OpKind::BarrierDestroy, "destroy"},
    {OpKind::OnceEnter, "once"},
    {OpKind::OnceDone, "once done"},
    {OpKind::OnceAbort, "once left"},
    {OpKind::FutexWait, "futex wait"},
    {OpKind::FutexResume, "return from futex wait"},
    {OpKind::FutexWake, "futex wake"},
    {OpKind::Sleep, "sleep"},
    {OpKind::Yield, "yield"},
    {OpKind::Choose, "choose"},
    {OpKind::Read, "read"},
    {OpKind::Write, "write"},
    {OpKind::ReadWrite, "read and write"},
    {OpKind::SystemCall, "system call"},
    {OpKind::Output, "output"},
    {OpKind::ProcessExit, "exit"},
    {OpKind::Failure, "fails"},
}};

constexpr bool verbs_are_in_order() {
    for (std::size_t row = 0; row < verbs.size(); ++row) {
        if (verbs[row].kind != static_cast<OpKind>(row) || verbs[row].words.empty()) {
            return false;
        }
    }
    return true;
}
static_assert(verbs_are_in_order());

/// Most operations return an error number; these a value.
bool returns_error_number(OpKind kind) {
    return kind != OpKind::SemGetValue && kind != OpKind::Choose && kind != OpKind::FutexWake;
}

}  // namespace

std::string label_of(const Trace& trace, const std::string& object) {
    const auto found = trace.labels.find(object);
    return found == trace.labels.end() ? object : found->second;
}

TraceOperation labelled(const Trace& trace, TraceOperation operation) {
    operation.object = label_of(trace, operation.object);
    operation.mutex = label_of(trace, operation.mutex);
    operation.location = label_of(trace, operation.location);
    return operation;
}

TraceStep labelled(const Trace& trace, TraceStep step) {
    step.operation = labelled(trace, std::move(step.operation));
    return step;
}

TraceWait labelled(const Trace& trace, TraceWait wait) {
    wait.operation = labelled(trace, std::move(wait.operation));
    return wait;
}

TraceAccess labelled(const Trace& trace, TraceAccess access) {
    access.operation = labelled(trace, std::move(access.operation));
    for (std::string& lock : access.locks) {
        lock = label_of(trace, lock);
    }
    return access;
}

TraceFinding labelled(const Trace& trace, TraceFinding finding) {
    if (finding.operation) {
        finding.operation = labelled(trace, std::move(*finding.operation));
    }
    for (TraceWait& wait : finding.waits) {
        wait = labelled(trace, std::move(wait));
    }
    if (finding.race) {
        finding.race->first = labelled(trace, std::move(finding.race->first));
        finding.race->second = labelled(trace, std::move(finding.race->second));
    }
    return finding;
}

std::string short_words(const Trace& trace, const TraceOperation& operation) {
    if (operation.looks_again) {
        return "looks again";
    }
    std::string text(verbs.at(static_cast<std::size_t>(operation.kind)).words);
    for (const std::string& target :
         {label_of(trace, operation.object), operation.thread, label_of(trace, operation.location)}) {
        text += (target.empty() ? "" : " ") + target;
    }
    if (operation.kind == OpKind::ProcessExit) {
        text += " " + std::to_string(operation.exit_code);
    }
    return printable(text);
}

std::string result_words(const TraceStep& step) {
    if (step.result <= 0 || !returns_error_number(step.operation.kind)) {
        return "";
    }
    return std::string(" = ") + std::strerror(step.result);  // NOLINT(concurrency-mt-unsafe): one thread
}

std::string short_words(const Trace& trace, const TraceStep& step) {
    const bool timed_out = step.variant.kind == Variant::Kind::Timeout;
    if (step.operation.kind == OpKind::CondSignal && step.variant.kind == Variant::Kind::Normal) {
        return short_words(trace, step.operation) + " (nobody waits)";
    }
    return short_words(trace, step.operation) + printable(describe(step.variant)) +
           (timed_out ? "" : result_words(step));
}

std::string own_source(const TraceStep& step) {
    const bool in_library =
        step.operation.kind == OpKind::ThreadExit || step.operation.kind == OpKind::ThreadStart;
    const std::string function = function_words(step.source);
    return in_library || function == "_exit" || function == "__GI__exit" ? "" : step.source;
}

std::string place_words(const std::string& source) { return source.substr(source.rfind(' ') + 1); }

std::string function_words(const std::string& source) { return source.substr(0, source.rfind(' ')); }

const TracePlace* find_place(const Trace& trace, const std::string& source) {
    const auto found = std::find_if(trace.places.begin(), trace.places.end(),
                                    [&](const TracePlace& place) { return place.source == source; });
    return found == trace.places.end() ? nullptr : &*found;
}

std::map<std::string, std::string> thread_functions(const Trace& trace) {
    std::map<std::string, std::string> functions;
    const auto note = [&](const std::string& thread, std::size_t stack) {
        if (stack != 0 && stack <= trace.stacks.size() && !trace.stacks[stack - 1].empty()) {
            functions.try_emplace(thread, function_words(trace.stacks[stack - 1].back()));
        }
    };
    for (const TraceStep& step : trace.steps) {
        note(step.thread, step.stack);
    }
    for (const TraceWait& wait : trace.finding.waits) {
        note(wait.thread, wait.stack);
    }
    if (trace.finding.race) {
        note(trace.finding.race->first.thread, trace.finding.race->first.stack);
        note(trace.finding.race->second.thread, trace.finding.race->second.stack);
    }
    if (trace.decision) {
        for (const TraceStep& step : trace.decision->passing) {
            note(step.thread, step.stack);
        }
    }
    return functions;
}

}  // namespace coopcheck
