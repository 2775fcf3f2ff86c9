#include "tests/nightly/results_page.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
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

/// Trials until it was found; a dash if it was not, with how many there were if the time was over; "?" if it
/// was not measured.
std::string trials(const Json* row) {
    if (row == nullptr) return "?";
    if (row->contains("error")) return "error";
    if (row->at("found")) return row->at("trials").dump();
    if (row->value("complete", false)) return "none";
    return row->value("cut", false) ? "- (" + row->at("trials").dump() + ")" : "-";
}

std::string seconds(const Json* row) {
    if (row == nullptr) return "?";
    if (row->contains("error")) return "error";
    const double time_s = row->at("seconds").get<double>();
    char text[32];
    if (time_s < 0.1) {
        std::snprintf(text, sizeof text, "%.0f ms", time_s * 1000);
    } else {
        std::snprintf(text, sizeof text, "%.1f s", time_s);
    }
    return text;
}

std::string rate(const Json* row) {
    if (row == nullptr) return "?";
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

/// What each cell had.
std::string limit_s(const Json& measured) {
    int most = 0;
    for (const auto& [key, row] : measured.items()) most = std::max(most, row.value("limit_s", 0));
    return std::to_string(most);
}

/// Over all programs and numbers of threads.
std::string found_by_column(const Json& measured) {
    std::map<std::string, std::pair<int, int>> columns;
    for (const auto& [key, row] : measured.items()) {
        if (row.at("table") != "cooperari_5_3") continue;
        auto& [found, all] = columns[row.at("column")];
        found += row.value("found", false) ? 1 : 0;
        all += 1;
    }
    std::string text = "Cells in which the bug was found here:";
    for (const auto& [column, counts] : columns) {
        text += (text.back() == ':' ? " " : ", ") + column + " " + std::to_string(counts.first) + " of " +
                std::to_string(counts.second);
    }
    return text + ".\n";
}

/// With the published ones, which are of another machine and of Java.
void cooperari_times(const Json& measured, const Json& table, std::ostream& out) {
    out << "The same in time, of all trials together: published (a dual-core machine of 2012) / here, "
           "with "
           "what making a schedule simpler and writing reports takes.\n\n"
        << head({"program", "threads", "history", "random", "unconstrained", "exitblock, bound 2", "pct",
                 "surw"});
    for (const auto& [program, rows] : table.at("rows").items()) {
        for (std::size_t nth = 0; nth < table.at("threads").size(); ++nth) {
            const std::string threads = table.at("threads").at(nth).dump();
            const auto here = [&](const std::string& column) {
                return seconds(find(measured, "cooperari_5_3", program + " " + threads, column));
            };
            std::vector<std::string> cells{program, threads};
            for (const std::string column : {"history", "random", "unconstrained"})
                cells.push_back(rows.at(column + "_s").at(nth).dump() + " / " + here(column));
            for (const std::string column : {"exitblock", "pct", "surw"}) cells.push_back(here(column));
            out << table_row(cells);
        }
    }
    out << "\n";
}

void cooperari(const Json& measured, const Json& published, std::ostream& out) {
    const Json& table = published.at("cooperari_5_3");
    out << "## Cooperari, table 5.3\n\n"
        << "Trials until the bug was found. Published / here; a dash: not found in 1,000, or, with a number: "
           "in "
           "so many, when the "
        << limit_s(measured)
        << " s that\n"
           "each cell has were over; none: all schedules within the bound have none. The last three columns "
           "have no counterpart there. (no bug): with so few "
           "threads the program is right. Accesses without a\n"
           "lock are places to switch at (`--races sample`) wherever the program is under control; trials "
           "are "
           "those of the last start of a search.\n\n"
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
    out << "\n" << found_by_column(measured) << "\n";
    cooperari_times(measured, table, out);
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
        std::string name;
        std::string number;
        std::string rest;
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

void depths(const Json& measured, const Json& published, std::ostream& out) {
    constexpr std::size_t shown = 5;
    out << "### Table 1: threads that live at the same time\n\nThe fourth experiment: ten threads that "
           "create each "
           "other without waiting. How often each number of them was alive when one\n"
           "began or ended, in percent of all of these moments; faults: threads that did not find their "
           "parameter, in percent of all threads.\nPublished / here (tests/nightly/concurrent_depth.c).\n\n";
    std::vector<std::string> titles{"", "faults"};
    for (std::size_t depth = 0; depth < shown; ++depth) titles.push_back(std::to_string(depth));
    titles.emplace_back("5 and more");
    out << head(titles);
    const Json rows = published.at("contest").value("depths", Json::object());
    const auto percent = [](double part, double whole) {
        char text[32];
        std::snprintf(text, sizeof text, "%.1f", whole > 0 ? 100 * part / whole : 0);
        return std::string(text);
    };
    for (const std::string column : {"none", "yield", "sleep", "priority"}) {
        const Json* row = find(measured, "contest_depth", "concurrent_depth", column);
        const Json there = rows.value(column, Json::object());
        std::vector<double> here;
        double all_here = 0;
        if (row != nullptr) here = row->at("depths").get<std::vector<double>>();
        for (const double number : here) all_here += number;
        const std::vector<double> published_depths = there.value("depths", std::vector<double>{});
        double all_there = 0;
        for (const double number : published_depths) all_there += number;
        const auto both = [&](double there_part, double here_part) {
            return (published_depths.empty() ? "" : percent(there_part, all_there)) + " / " +
                   (row == nullptr ? "?" : percent(here_part, all_here));
        };
        const double threads = there.value("threads", 0.0);
        std::vector<std::string> cells{
            column,
            (published_depths.empty() ? "" : percent(there.value("faults", 0.0), threads)) + " / " +
                (row == nullptr ? "?" : percent(row->at("faults"), row->at("runs").get<double>() * 10))};
        double more = 0;
        for (std::size_t depth = shown; depth < here.size(); ++depth) more += here[depth];
        for (std::size_t depth = 0; depth < shown; ++depth) {
            cells.push_back(both(depth < published_depths.size() ? published_depths[depth] : 0,
                                 depth < here.size() ? here[depth] : 0));
        }
        cells.push_back(both(0, more));
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
    out << "\n";
}

std::string schedules(const Json* row) {
    if (row == nullptr) return "?";
    if (row->contains("error")) return "error";
    const std::string more = row->value("cut", false) ? ">" : "";
    const std::string in_vain = row->at("in_vain") == 0 ? "" : " + " + row->at("in_vain").dump();
    return more + row->at("trials").dump() + in_vain;
}

/// Of a bounded search: all schedules within the bound.
std::string within(const Json* row, std::size_t bound) {
    if (row == nullptr) return "?";
    if (row->contains("error")) return "error";
    const std::vector<std::size_t> at_bound = row->at("at_bound").get<std::vector<std::size_t>>();
    std::size_t sum = 0;
    for (std::size_t nth = 0; nth < at_bound.size() && nth <= bound; ++nth) sum += at_bound[nth];
    const bool is_cut = row->value("cut", false) && bound + 1 >= at_bound.size();
    return (is_cut ? ">" : "") + std::to_string(sum);
}

void counts(const Json& measured, std::ostream& out) {
    const std::vector<std::string> columns{"ExitBlock", "-RW",   "-DD",    "-RWDD",  "ours",
                                           "data",      "pages", "source", "optimal"};
    constexpr std::size_t bounds = 4;
    out << "## Numbers of schedules\n\n"
           "Of the fixed programs, and of those whose schedules can be counted by hand. ExitBlock, its "
           "pruning by "
           "data (accesses are watched), its\n"
           "deadlock detection and both, as the paper has them; ours: exitblock without a bound, which "
           "prunes by "
           "locks and executes nested locks\n"
           "where that is needed; data and pages: the same with `--footprint data` and `pages`, which watch "
           "accesses, so that those without a lock are places to switch at there and not in the column "
           "before; "
           "source and optimal: classes of schedules; then all schedules within 0 to 3 "
           "preemptions, prefixes that were pruned included, and all classes within them.\n"
           "`a + b`: a run to an end, b begun in vain. `>`: cut at 20,000 schedules, or when the "
        << limit_s(measured) << " s of a cell were over.\n\n";
    std::vector<std::string> titles{"program"};
    titles.insert(titles.end(), columns.begin(), columns.end());
    for (const std::string within_bound : {"bound ", "classes, "}) {
        for (std::size_t bound = 0; bound < bounds; ++bound) {
            titles.push_back(within_bound + std::to_string(bound));
        }
    }
    out << head(titles);
    for (const std::string& command : commands(measured, "counts")) {
        std::vector<std::string> cells{command};
        for (const std::string& column : columns) {
            cells.push_back(schedules(find(measured, "counts", command, column)));
        }
        for (const std::string within_bound : {"bounded", "classes"}) {
            for (std::size_t bound = 0; bound < bounds; ++bound) {
                cells.push_back(within(find(measured, "counts", command, within_bound), bound));
            }
        }
        out << table_row(cells);
    }
    out << "\nTimes of the same searches; the last two columns are for all bounds up to 3.\n\n";
    titles.resize(1 + columns.size());
    titles.emplace_back("bounded");
    titles.emplace_back("classes");
    out << head(titles);
    for (const std::string& command : commands(measured, "counts")) {
        std::vector<std::string> cells{command};
        for (const std::string& column : columns)
            cells.push_back(seconds(find(measured, "counts", command, column)));
        cells.push_back(seconds(find(measured, "counts", command, "bounded")));
        cells.push_back(seconds(find(measured, "counts", command, "classes")));
        out << table_row(cells);
    }
    out << "\n";
}

}  // namespace

std::string results_page(const Json& measured, const Json& published, const std::string& revision) {
    std::ostringstream out;
    out << "# Results\n\nMade by `scripts/results` from what it measured; do not edit. Programs are those of "
           "corpus/. A question mark: "
           "not measured.\n"
           "Times are those of one machine and of what else it did; numbers of schedules and trials are not, "
           "unless a limit on time is named. The\n"
           "machine: "
        << machine() << ". Measured with revision " << revision << ".\n\n";
    cooperari(measured, published, out);
    contest(measured, published, out);
    depths(measured, published, out);
    rstest(measured, published, out);
    exitblock(measured, published, out);
    counts(measured, out);
    return out.str();
}

}  // namespace coopcheck::testing
