#include "tests/nightly/measured.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <utility>

namespace coopcheck::testing {

namespace {

using Json = nlohmann::json;

/// Of a night of an hour and more; a shorter one gives each cell less.
constexpr long most_for_one = 20;
constexpr long least_for_one = 2;
constexpr long cells_in_a_night = 180;

}  // namespace

Measured::Measured(long seconds, std::string file)
    : end_(Clock::now() + std::chrono::seconds(seconds)),
      seconds_for_one_(static_cast<int>(std::clamp(seconds / cells_in_a_night, least_for_one, most_for_one))),
      file_(std::move(file)) {
    std::ifstream stream(file_);
    if (stream) rows_ = Json::parse(stream);
}

void Measured::cell(const std::string& table, const std::string& command, const std::string& column,
                    const std::function<Json()>& measure) {
    const std::string key = table + " | " + command + " | " + column;
    if (rows_.contains(key)) return;
    if (is_over()) {
        left_ += 1;
        return;
    }
    Json row = measure();
    row["table"] = table;
    row["command"] = command;
    row["column"] = column;
    row["limit_s"] = seconds_for_one_;
    std::cout << key << ": " << row.dump() << std::endl;
    rows_[key] = std::move(row);
    std::ofstream stream(file_ + ".new");
    stream << rows_.dump(2) << "\n";
    stream.close();
    std::filesystem::rename(file_ + ".new", file_);
}

}  // namespace coopcheck::testing
