#pragma once

#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "explorer/history_strategy.hpp"

namespace coopcheck::cmd {

/// The history strategy's memory, in a file that is written when the search is over.
class HistoryFile {
  public:
    explicit HistoryFile(std::string path) : path_(std::move(path)) {}

    void load(HistoryStrategy& strategy) const {
        if (path_.empty()) return;
        std::ifstream file(path_);
        if (!file) return;  // the first time
        strategy.set_history(DecisionHistory::load(file));
    }

    void save(const HistoryStrategy& strategy) const {
        if (path_.empty()) return;
        // Written beside and renamed, so that an interrupted search leaves the old one.
        const std::string beside = path_ + ".new";
        std::ofstream file(beside);
        strategy.history().save(file);
        file.close();
        if (!file || std::rename(beside.c_str(), path_.c_str()) != 0) {
            static_cast<void>(std::remove(beside.c_str()));
            throw Error("Cannot write the history to '" + path_ + "'.");
        }
    }

  private:
    std::string path_;
};

}  // namespace coopcheck::cmd
