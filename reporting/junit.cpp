#include "reporting/junit.hpp"

#include <array>
#include <cstdio>
#include <pugixml.hpp>
#include <sstream>

#include "reporting/bytes_as_text.hpp"
#include "reporting/step_words.hpp"
#include "reporting/text_report.hpp"
#include "reporting/trace_names.hpp"

namespace coopcheck {

namespace {

std::string seconds(double number) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3f", number);
    return text.data();
}

std::string lines(const std::vector<std::string>& all) {
    std::string text;
    for (const std::string& line : all) {
        text += printable(line, true) + '\n';
    }
    return text;
}

/// What is only predicted is no failure; what free runs have shown is one, also where it could not be
/// reproduced and there is no finding of it.
bool has_failed(const RunSummary& run) {
    constexpr int found = 1;
    return run.exit_code == found;
}

void add_findings(pugi::xml_node test, const RunSummary& run) {
    // Readers take the first failure of a case for the case, so all findings are in one.
    pugi::xml_node failure = test.append_child("failure");
    if (run.findings.empty()) {
        failure.append_attribute("message") = run.claims.empty() ? "" : printable(run.claims.front()).c_str();
        return;
    }
    const Trace& first = run.findings.front().trace;
    std::string message = describe(labelled(first, first.finding));
    if (run.findings.size() > 1) {
        message += " (and " + std::to_string(run.findings.size() - 1) + " more)";
    }
    failure.append_attribute("message") = message.c_str();
    failure.append_attribute("type") = std::string(file_name(first.finding.kind)).c_str();
    std::string text;
    for (const ReportedFinding& reported : run.findings) {
        text += report(reported.trace);
        text += reported.replay_command.empty() ? "" : "  replay it with: " + reported.replay_command + "\n";
        text += '\n';
    }
    failure.text() = text.c_str();
}

void add_case(pugi::xml_node suite, const RunSummary& run) {
    pugi::xml_node test = suite.append_child("testcase");
    test.append_attribute("classname") = "coopcheck";
    test.append_attribute("name") = printable(run.name).c_str();
    test.append_attribute("time") = seconds(run.seconds).c_str();
    if (!run.error.empty()) {
        pugi::xml_node error = test.append_child("error");
        error.append_attribute("message") = printable(run.error).c_str();
        return;
    }
    if (has_failed(run)) {
        add_findings(test, run);
    } else if (!run.complete) {
        test.append_child("skipped").append_attribute("message") =
            run.claims.empty() ? "not complete" : printable(run.claims.front()).c_str();
    }
    test.append_child("system-out").text() = (lines(run.claims) + lines(run.conditions)).c_str();
}

}  // namespace

std::string junit_xml(const std::vector<RunSummary>& runs) {
    pugi::xml_document document;
    pugi::xml_node declaration = document.append_child(pugi::node_declaration);
    declaration.append_attribute("version") = "1.0";
    declaration.append_attribute("encoding") = "UTF-8";
    pugi::xml_node suite = document.append_child("testsuites").append_child("testsuite");
    unsigned failures = 0;
    unsigned errors = 0;
    unsigned skipped = 0;
    double time = 0;
    for (const RunSummary& run : runs) {
        time += run.seconds;
        if (!run.error.empty()) {
            errors += 1;
        } else if (has_failed(run)) {
            failures += 1;
        } else if (!run.complete) {
            skipped += 1;
        }
    }
    suite.append_attribute("name") = "coopcheck";
    suite.append_attribute("tests") = static_cast<unsigned>(runs.size());
    suite.append_attribute("failures") = failures;
    suite.append_attribute("errors") = errors;
    suite.append_attribute("skipped") = skipped;
    suite.append_attribute("time") = seconds(time).c_str();
    for (const RunSummary& run : runs) {
        add_case(suite, run);
    }
    std::ostringstream text;
    document.save(text, "  ");
    return text.str();
}

}  // namespace coopcheck
