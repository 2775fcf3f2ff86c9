#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "explorer/shared_search.hpp"
#include "tests/support/fiber_execution.hpp"
#include "tests/support/program.hpp"
#include "tests/support/random.hpp"

namespace coopcheck::testing {

/// Runs parts one after the other, those of any worker first, each on an execution of its own, and gives
/// parts away at any moment, wanted or not. What a worker says is heard at any time later.
class FiberWorkers : public Workers {
  public:
    FiberWorkers(const Program& program, SearchOptions options, SearchListener* listener, std::uint64_t seed,
                 ModelOptions model = {})
        : program_(program),
          options_(std::move(options)),
          listener_(listener),
          random_(seed),
          model_(model) {}

    std::size_t start(const Knowledge& knowledge, std::size_t schedules) override;
    void begin(std::size_t worker, const std::string& part, const std::string& known) override;
    void ask_for_part(std::size_t worker) override { workers_[worker].is_asked = true; }
    void stop(std::size_t /*worker*/) override {}
    WorkerEvent next() override;
    void count(const std::string& extra) override;
    void start_over() override { starts += 1; }

    std::size_t cuts = 0;
    std::size_t starts = 1;

  private:
    class Sharer;
    struct Worker {
        std::unique_ptr<FiberExecution> execution;
        std::optional<std::pair<std::string, std::string>> order;
        std::deque<WorkerEvent> events;
        bool is_asked = false;
    };

    void run(std::size_t number);

    const Program& program_;
    SearchOptions options_;
    SearchListener* listener_;
    Random random_;
    ModelOptions model_;
    /// How often, in percent, a part is given away when it could be.
    int eagerness_ = 100;
    std::vector<Worker> workers_;
};

/// The class of each path, which may be of any execution of the program.
class ClassesOfPaths : public SearchListener {
  public:
    explicit ClassesOfPaths(const Program& program, ModelOptions model = {},
                            std::vector<Location> visible = {})
        : program_(program), model_(model), visible_(std::move(visible)) {}

    void path(const PathReport& report) override;
    void start_over() override { all.clear(); }

    std::multiset<std::string> all;

  private:
    const Program& program_;
    ModelOptions model_;
    std::vector<Location> visible_;
};

}  // namespace coopcheck::testing
