#include "tests/nightly/results_page.hpp"

#include <sys/utsname.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace coopcheck::testing {

namespace {

using Json = nlohmann::json;

std::string processor() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    }
    return "an unknown processor";
}

std::string machine() {
    utsname names{};
    ::uname(&names);
    return processor() + ", " + std::to_string(std::thread::hardware_concurrency()) + " CPUs, Linux " +
           names.release;
}

const Json* find(const Json& measured, const std::string& table, const std::string& command,
                 const std::string& column) {
    const auto row = measured.find(table + " | " + command + " | " + column);
    return row == measured.end() ? nullptr : &*row;
}

/// Trials until it was found; a dash if it was not, nothing if it was not measured.
std::string trials(const Json* row) {
    if (row == nullptr) return "";
    if (row->contains("error")) return "error";
    return row->at("found") ? row->at("trials").dump() : "-";
}

std::string seconds(const Json* row) {
    if (row == nullptr) return "";
    char text[32];
    std::snprintf(text, sizeof text, "%.1f s", row->at("seconds").get<double>());
    return text;
}

std::string rate(const Json* row) {
    if (row == nullptr) return "";
    if (row->contains("error")) return "error";
    return row->value("faults", 0) == 0 ? "0 of " + row->at("trials").dump()
                                        : row->at("faults").dump() + " of " + row->at("trials").dump();
}

std::string table_row(const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) text += " " + cell + " |";
    return text + "\n";
}

std::string head(const std::vector<std::string>& cells) {
    return table_row(cells) + table_row(std::vector<std::string>(cells.size(), "---"));
}

void cooperari(const Json& measured, const Json& published, std::ostream& out) {
    const Json& table = published.at("cooperari_5_3");
    out << "## Cooperari, table 5.3\n\n"
        << "Trials until the bug was found. Published / here; a dash: not found in 1,000 (here also: not in "
           "20 seconds). The last three\n"
           "columns have no counterpart there.\n\n"
        << head({"program", "threads", "history", "random", "unconstrained", "exitblock, bound 2", "pct",
                 "surw"});
    const auto both = [&](const std::string& program, const std::string& column, std::size_t nth,
                          const std::string& command) {
        const int there = table.at("rows").at(program).at(column).at(nth);
        return (there >= 1000 ? "-" : std::to_string(there)) + " / " +
               trials(find(measured, "cooperari_5_3", command, column));
    };
    for (const auto& [program, rows] : table.at("rows").items()) {
        for (std::size_t nth = 0; nth < table.at("threads").size(); ++nth) {
            const std::string threads = table.at("threads").at(nth).dump();
            const std::string command = program + " " + threads;
            const Json without = table.at("without_bug").value(program, Json::array());
            const bool has_no_bug =
                std::find(without.begin(), without.end(), table.at("threads").at(nth)) != without.end();
            out << table_row({program, threads + (has_no_bug ? " (no bug)" : ""),
                              both(program, "history", nth, command), both(program, "random", nth, command),
                              both(program, "unconstrained", nth, command),
                              trials(find(measured, "cooperari_5_3", command, "exitblock")),
                              trials(find(measured, "cooperari_5_3", command, "pct")),
                              trials(find(measured, "cooperari_5_3", command, "surw"))});
        }
    }
    out << "\n";
}

/// The rows of a table by their commands, in the order of the file.
std::set<std::string> commands(const Json& measured, const std::string& table) {
    std::set<std::string> names;
    for (const auto& [key, row] : measured.items()) {
        if (row.at("table") == table) names.insert(row.at("command").get<std::string>());
    }
    return names;
}

void contest(const Json& measured, const Json& published, std::ostream& out) {
    out << "## ConTest, experiments\n\nRuns without control that showed the fault. Published / here.\n\n"
        << head({"program", "none", "yield", "sleep", "priority"});
    for (const std::string& command : commands(measured, "contest")) {
        // "contest/move_money 4 busywork" is "move_money busywork" there.
        std::istringstream words(command.substr(command.find('/') + 1));
        std::string name, number, rest;
        words >> name >> number >> rest;
        const Json there =
            published.at("contest").at("rows").value(rest.empty() ? name : name + " " + rest, Json::object());
        std::vector<std::string> cells{command};
        for (const std::string column : {"none", "yield", "sleep", "priority"}) {
            cells.push_back(there.value(column, "") + " / " +
                            rate(find(measured, "contest", command, column)));
        }
        out << table_row(cells);
    }
    out << "\n";
}

void rstest(const Json& measured, const Json& published, std::ostream& out) {
    out << "## rstest, section 7\n\nWithout control: runs that failed; random: executions until the first "
           "failure. Published / here.\n\n"
        << head({"program", "without control", "random (1/8)", "time, random"});
    for (const std::string& command : commands(measured, "rstest")) {
        const Json there = published.at("rstest").at("rows").value(command, Json::object());
        const Json* random = find(measured, "rstest", command, "random");
        out << table_row({command,
                          there.value("none", "") + " / " + rate(find(measured, "rstest", command, "none")),
                          there.value("random", "") + " / " + trials(random), seconds(random)});
    }
    out << "\n";
}

void exitblock(const Json& measured, const Json& published, std::ostream& out) {
    out << "## ExitBlock, the scale claim\n\nPublished: "
        << published.at("exitblock").at("rows").at("regions").at("time").get<std::string>() << ".\n\n"
        << head({"program", "schedules until the error", "time"});
    for (const std::string& command : commands(measured, "exitblock")) {
        const Json* row = find(measured, "exitblock", command, "exitblock");
        out << table_row({command, trials(row), seconds(row)});
    }
    const std::vector<std::string> columns{"ExitBlock", "-RW", "-DD", "-RWDD", "ours"};
    out << "\n## Numbers of schedules\n\n"
           "Of ExitBlock, its pruning by data (which is not watched here: nothing but locks conflicts) and "
           "deadlock detection, and of the\n"
           "default of this program, which prunes by locks.\n\n"
        << head({"program", "ExitBlock", "-RW", "-DD", "-RWDD", "ours"});
    for (const std::string& command : commands(measured, "counts")) {
        std::vector<std::string> cells{command};
        for (const std::string& column : columns) {
            const Json* row = find(measured, "counts", command, column);
            cells.push_back(row == nullptr ? "" : row->at("trials").dump());
        }
        out << table_row(cells);
    }
    out << "\n";
}

}  // namespace

std::string results_page(const Json& measured, const Json& published) {
    std::ostringstream out;
    out << "# Results\n\nMade by `scripts/results` from what it measured; do not edit. Programs are those of "
           "corpus/. Times are those of "
           "this machine:\n"
        << machine() << ".\n\n";
    cooperari(measured, published, out);
    contest(measured, published, out);
    rstest(measured, published, out);
    exitblock(measured, published, out);
    return out.str();
}

}  // namespace coopcheck::testing
