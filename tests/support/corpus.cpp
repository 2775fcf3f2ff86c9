#include "tests/support/corpus.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.hpp"

namespace coopcheck::testing {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Words split(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

std::vector<Words> argument_lists(const Json& entry, const char* name) {
    std::vector<Words> lists;
    for (const std::string text : entry.value(name, Json::array())) lists.push_back(split(text));
    return lists;
}

fs::path source_of(const fs::path& folder, const std::string& program) {
    for (const char* ending : {".c", ".cpp"}) {
        fs::path source = folder / (program + ending);
        if (fs::exists(source)) return source;
    }
    throw Error("There is no source of the program " + program + " of the manifest.");
}

/// The source, and the headers in the folder of its name.
std::vector<fs::path> parts_of(const fs::path& source) {
    std::vector<fs::path> parts{source};
    fs::path folder = source;
    folder.replace_extension();
    if (!fs::is_directory(folder)) return parts;
    for (const auto& entry : fs::directory_iterator(folder)) parts.push_back(entry.path());
    return parts;
}

std::vector<std::string> marked_places(const fs::path& source, const std::string& mark) {
    std::vector<std::string> places;
    for (const fs::path& part : parts_of(source)) {
        std::ifstream file(part);
        int number = 0;
        for (std::string line; std::getline(file, line);) {
            number += 1;
            if (line.ends_with("// " + mark)) {
                places.push_back(part.filename().string() + ":" + std::to_string(number));
            }
        }
    }
    if (places.empty()) throw Error("No line of " + source.string() + " ends with // " + mark + ".");
    return places;
}

ExpectedFinding read_finding(const Json& json, const fs::path& source) {
    ExpectedFinding finding;
    finding.kind = json.at("kind");
    finding.preemptions = json.at("preemptions");
    if (!json.at("line").is_null()) finding.places = marked_places(source, json.at("line"));
    return finding;
}

CorpusEntry read_entry(const Json& json, const fs::path& folder) {
    CorpusEntry entry;
    entry.program = json.at("program");
    entry.from = json.at("from");
    const fs::path source = source_of(folder, entry.program);
    if (json.contains("finding")) entry.finding = read_finding(json.at("finding"), source);
    entry.bound = json.value("bound", entry.bound);
    entry.options = json.value("options", entry.options);
    entry.needs = json.value("needs", "");
    entry.quick = argument_lists(json, "quick");
    entry.nightly = argument_lists(json, "nightly");
    entry.many = argument_lists(json, "many");
    entry.missed = argument_lists(json, "missed");
    entry.harmless = argument_lists(json, "harmless");
    if (json.contains("fixed")) {
        const Json& fixed = json.at("fixed");
        entry.fixed = FixedProgram{split(fixed.at("arguments")), fixed.value("bound", entry.bound),
                                   fixed.value("all_schedules", false)};
    }
    if (json.contains("exitblock")) {
        const Json& count = json.at("exitblock");
        entry.exitblock = ExpectedCount{count.at("program"), split(count.at("arguments")),
                                        count.at("schedules"), count.at("why")};
    }
    return entry;
}

}  // namespace

std::vector<CorpusEntry> read_corpus(const fs::path& source_folder) {
    std::ifstream file(source_folder / "manifest.json");
    const Json manifest = Json::parse(file);
    std::vector<CorpusEntry> entries;
    for (const Json& json : manifest.at("programs")) {
        entries.push_back(read_entry(json, source_folder));
    }
    return entries;
}

std::vector<std::string> corpus_sources(const fs::path& source_folder) {
    std::vector<std::string> programs;
    for (const auto& entry : fs::recursive_directory_iterator(source_folder)) {
        fs::path path = entry.path().lexically_relative(source_folder);
        if (path.extension() != ".c" && path.extension() != ".cpp") continue;
        programs.push_back(path.replace_extension().string());
    }
    std::sort(programs.begin(), programs.end());
    return programs;
}

std::string command_line(const std::string& program, const Words& arguments) {
    std::string text = program;
    for (const std::string& word : arguments) text += " " + word;
    return text;
}

}  // namespace coopcheck::testing
