#include "tracer/native_end.hpp"

#include <cstring>
#include <string_view>

#include "tracer/last_words.hpp"

namespace coopcheck::tracer {

namespace {

/// The last line of the form "program: file:line: function: Assertion `condition' failed.", without the
/// program; empty if there is none.
std::string failed_assertion(std::string_view text) {
    constexpr std::string_view middle = "Assertion `";
    constexpr std::string_view end = "' failed.";
    const std::size_t start = text.rfind(middle);
    if (start == std::string_view::npos) return "";
    const std::size_t before = text.rfind('\n', start);
    const std::size_t line_start = before == std::string_view::npos ? 0 : before + 1;
    // The condition may have several lines; what is after it is the end.
    const std::size_t line_end = text.find(end, start);
    const std::size_t name_end = text.find(": ", line_start);
    if (line_end == std::string_view::npos || name_end >= start) return "";
    return std::string(text.substr(name_end + 2, line_end + end.size() - name_end - 2));
}

std::string signal_name(int signal) {
    const char* name = ::sigabbrev_np(signal);
    return name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(signal);
}

}  // namespace

RunEnd end_of_native_run(const WaitStatus& status, const std::string& standard_error) {
    const auto failed = [](FindingKind kind, std::string message) {
        RunEnd end;
        end.kind = RunEnd::Kind::Failed;
        end.failure = kind;
        end.message = std::move(message);
        return end;
    };
    if (const auto* signalled = std::get_if<Signalled>(&status)) {
        std::string message = signal_name(signalled->signal);
        if (signalled->signal == SIGABRT) {
            if (std::string assertion = failed_assertion(standard_error); !assertion.empty())
                return failed(FindingKind::Assertion, std::move(assertion));
            if (const std::string words = last_words(standard_error); !words.empty()) message += ": " + words;
        }
        return failed(FindingKind::Crash, std::move(message));
    }
    if (std::string report = sanitizer_report(standard_error); !report.empty())
        return failed(FindingKind::Crash, std::move(report));
    RunEnd end;
    end.kind = RunEnd::Kind::ProcessExit;
    end.code = std::get<Exited>(status).code;
    return end;
}

}  // namespace coopcheck::tracer
