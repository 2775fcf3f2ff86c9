#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "explorer/search_listener.hpp"

namespace coopcheck {

/// ConTest's two models of coverage (Edelstein et al., "Using coverage to improve the seeding technique"),
/// collected from the paths of any search.
///
/// Model 1 has two tasks for every function: that it was interrupted by a switch, and that it was executed
/// and was not. Model 2 has a task for every pair (A, B): A was interrupted, and before its thread went on
/// another thread executed B.
///
/// A function is known to be executed by the operations made in it: a thread is in the function of the
/// operation it is parked at, and an execution of a function is a row of operations of one thread in it.
/// Functions without visible operations do not exist here, and an operation that a thread waits at for ever
/// counts as none.
class Coverage : public SearchListener {
  public:
    /// The function that a site lies in; an empty text leaves the operation out.
    using FunctionOfSite = std::function<std::string(std::uint64_t)>;
    using Pair = std::pair<std::string, std::string>;

    /// `next` is told everything too; it may be null.
    explicit Coverage(FunctionOfSite function_of_site, SearchListener* next = nullptr)
        : function_of_site_(std::move(function_of_site)), next_(next) {}

    void path(const PathReport& report) override;
    void start_over() override;
    /// Adds what another one has seen of the same program, and how that is told.
    [[nodiscard]] std::string to_text() const;
    void add_text(const std::string& text);
    /// The operations of a run that no search has made.
    void add(const std::vector<StepRecord>& steps);

    /// A function that should be covered though no path has come through it yet.
    void expect(const std::string& function) { functions_.insert(function); }

    [[nodiscard]] const std::set<std::string>& functions() const { return functions_; }
    [[nodiscard]] const std::set<std::string>& interrupted() const { return interrupted_; }
    [[nodiscard]] const std::set<std::string>& not_interrupted() const { return not_interrupted_; }
    [[nodiscard]] const std::set<Pair>& pairs() const { return pairs_; }

    /// One line for each task: "f interrupted", "f not interrupted", "f interrupted by g".
    [[nodiscard]] std::vector<std::string> covered() const { return tasks(true); }
    /// The tasks of functions and of all pairs of them that no path has covered. Not all of them need be
    /// possible.
    [[nodiscard]] std::vector<std::string> uncovered() const { return tasks(false); }

  private:
    /// What a thread has been doing, in the path being looked at.
    struct Progress {
        std::string function;          // of its last operation
        bool was_interrupted = false;  // since it entered that function
        bool started = false;
        bool ended = false;
        std::size_t last_step = 0;
    };

    const std::string& function_of(std::uint64_t site);
    void leave(Progress& progress);
    [[nodiscard]] std::vector<std::string> tasks(bool covered) const;

    FunctionOfSite function_of_site_;
    SearchListener* next_;
    std::map<std::uint64_t, std::string> known_sites_;
    std::set<std::string> functions_;
    std::set<std::string> interrupted_;
    std::set<std::string> not_interrupted_;
    std::set<Pair> pairs_;
};

}  // namespace coopcheck
