#include "cmd/learnt_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.hpp"
#include "reporting/bytes_as_text.hpp"
#include "reporting/shell_words.hpp"
#include "reporting/whole_file.hpp"

namespace coopcheck::cmd {

namespace {

using Json = nlohmann::json;

constexpr const char* format = "coopcheck-learnt";
constexpr unsigned version = 1;
constexpr std::uintmax_t largest_file = 16U << 20U;
constexpr std::size_t digits_of_build_id = 16;

Json texts(const std::vector<std::string>& all) {
    Json json = Json::array();
    for (const std::string& text : all) json.push_back(bytes_to_text(text));
    return json;
}

/// Of everything else in the file.
std::string checksum_of(Json json) {
    json.erase("checksum");
    return describe_input(json.dump(-1, ' ', true, Json::error_handler_t::replace)).hash;
}

std::vector<std::string> texts_in(const Json& json, const char* key) {
    std::vector<std::string> all;
    for (const Json& element : json.at(key)) {
        std::optional<std::string> text = text_to_bytes(element.get<std::string>());
        if (!text) throw Error("a text is damaged");
        all.push_back(std::move(*text));
    }
    return all;
}

}  // namespace

LearntFile::LearntFile(const std::string& folder, const TraceProgram& program)
    : build_id_(program.build_id), arguments_(program.arguments) {
    if (build_id_.empty()) return;
    const std::string name = "learnt-" + build_id_.substr(0, digits_of_build_id) + ".json";
    path_ = (std::filesystem::path(folder) / name).string();
}

std::vector<Location> LearntFile::load(tracer::TracedExecution& execution) const {
    std::error_code error;
    if (path_.empty() || !std::filesystem::exists(path_, error)) return {};
    const auto refuse = [&](const std::string& why) {
        std::cerr << "coopcheck: what was learnt before is not used: " << shell_word(path_) << ' ' << why
                  << "; the search begins without it.\n";
        return std::vector<Location>{};
    };
    if (!std::filesystem::is_regular_file(path_, error) ||
        std::filesystem::file_size(path_, error) > largest_file || error) {
        return refuse("is not a file of a sensible size");
    }
    std::ifstream file(path_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const Json json = Json::parse(text, nullptr, false);
    if (!file || json.is_discarded() || !json.is_object()) return refuse("is damaged");
    try {
        if (json.at("format") != format) return refuse("is damaged");
        if (json.at("version") != version) return refuse("is of another version of coopcheck");
        if (json.at("checksum") != checksum_of(json)) return refuse("is damaged or was changed");
        if (json.at("build_id") != build_id_) return refuse("is about another program");
        if (texts_in(json, "arguments") != arguments_) return refuse("is about other arguments");
        std::vector<Location> visible;
        for (const std::string& name : texts_in(json, "visible")) {
            // What belongs to threads that there are not yet is learnt again.
            if (const auto location = execution.find_location(name)) visible.push_back(*location);
        }
        return visible;
    } catch (const Json::exception&) {
        return refuse("is damaged");
    } catch (const Error&) {
        return refuse("is damaged");
    }
}

void LearntFile::save(tracer::TracedExecution& execution, const std::vector<Location>& visible) const {
    if (path_.empty() || visible.empty()) return;
    Json json;
    json["format"] = format;
    json["version"] = version;
    json["build_id"] = build_id_;
    json["arguments"] = texts(arguments_);
    json["visible"] = Json::array();
    for (const Location location : visible) {
        json["visible"].push_back(bytes_to_text(execution.describe_location(location)));
    }
    json["checksum"] = checksum_of(json);
    try {
        write_whole_file(json.dump(1) + "\n", path_,
                         {.what = "what was learnt", .remedy = "it is learnt again"});
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): nothing depends on it
    }
}

}  // namespace coopcheck::cmd
