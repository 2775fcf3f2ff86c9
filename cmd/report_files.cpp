#include "cmd/report_files.hpp"

#include <CLI/App.hpp>
#include <filesystem>
#include <iostream>

#include "core/error.hpp"
#include "reporting/html_report.hpp"
#include "reporting/junit.hpp"
#include "reporting/sarif.hpp"
#include "reporting/summary_json.hpp"
#include "reporting/whole_file.hpp"

namespace coopcheck::cmd {

void declare_report_files(CLI::App& command, ReportFiles& files) {
    command.add_option("--json", files.json, "Write everything that was found and counted to this file")
        ->type_name("FILE")
        ->envname("COOPCHECK_JSON");
    command.add_option("--junit", files.junit, "Write JUnit XML, a test case for each program, to this file")
        ->type_name("FILE")
        ->envname("COOPCHECK_JUNIT");
    command.add_option("--sarif", files.sarif, "Write SARIF 2.1.0 to this file")
        ->type_name("FILE")
        ->envname("COOPCHECK_SARIF");
    command.add_flag("--no-page", files.no_page, "Do not write report.html to the folder of the traces");
}

std::string write_report_files(const ReportFiles& files, const std::string& folder,
                               const std::vector<RunSummary>& runs) {
    const FileWords words{.what = "the report", .remedy = "name another file"};
    if (!files.json.empty()) write_whole_file(summary_json(runs), files.json, words);
    if (!files.junit.empty()) write_whole_file(junit_xml(runs), files.junit, words);
    if (!files.sarif.empty()) write_whole_file(sarif_json(runs), files.sarif, words);
    if (files.no_page) return "";
    std::string page = (std::filesystem::path(folder) / "report.html").string();
    try {
        write_whole_file(html_report(runs), page,
                         {.what = "the report", .remedy = "choose another folder with --out"});
    } catch (const Error& error) {
        std::cout << "there is no page. " << error.what() << '\n';
        return "";
    }
    return page;
}

}  // namespace coopcheck::cmd
