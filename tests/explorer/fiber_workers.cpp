#include "tests/explorer/fiber_workers.hpp"

#include <doctest/doctest.h>

#include <array>

#include "explorer/search_part.hpp"
#include "tests/explorer/classes.hpp"

namespace coopcheck::testing {

class FiberWorkers::Sharer : public SearchSharer {
  public:
    Sharer(FiberWorkers& workers, std::size_t worker) : workers_(workers), worker_(worker) {}
    [[nodiscard]] bool wants_part() override { return workers_.random_.chance(workers_.eagerness_); }
    void take(const SearchState& part) override {
        Worker& worker = workers_.workers_[worker_];
        worker.events.push_back({.kind = WorkerEvent::Kind::Gave,
                                 .worker = worker_,
                                 .text = write_part(worker.execution->knowledge(), part)});
        workers_.cuts += 1;
    }
    void tell(const SearchState& news) override {
        Worker& worker = workers_.workers_[worker_];
        worker.events.push_back({.kind = WorkerEvent::Kind::Told,
                                 .worker = worker_,
                                 .text = write_part(worker.execution->knowledge(), news)});
    }

  private:
    FiberWorkers& workers_;
    std::size_t worker_;
};

std::size_t FiberWorkers::start(const Knowledge& knowledge, std::size_t /*schedules*/) {
    workers_.clear();
    workers_.resize(static_cast<std::size_t>(random_.between(2, 4)));
    eagerness_ = std::array{10, 50, 100}[static_cast<std::size_t>(random_.below(3))];
    for (Worker& worker : workers_) {
        worker.execution = std::make_unique<FiberExecution>(to_fibers(program_), model_);
        worker.execution->know(knowledge);
    }
    return workers_.size();
}

void FiberWorkers::begin(std::size_t worker, const std::string& part, const std::string& known) {
    workers_[worker].order = {part, known};
}

WorkerEvent FiberWorkers::next() {
    std::vector<std::size_t> busy;
    for (std::size_t worker = 0; worker < workers_.size(); ++worker) {
        if (workers_[worker].order || !workers_[worker].events.empty()) busy.push_back(worker);
    }
    REQUIRE_FALSE(busy.empty());
    const std::size_t worker = busy[static_cast<std::size_t>(random_.below(static_cast<int>(busy.size())))];
    if (workers_[worker].events.empty()) run(worker);
    WorkerEvent event = std::move(workers_[worker].events.front());
    workers_[worker].events.pop_front();
    return event;
}

void FiberWorkers::count(const std::string& extra) { CHECK(extra == "extra"); }

void FiberWorkers::run(std::size_t number) {
    Worker& worker = workers_[number];
    const auto [part, known] = *std::exchange(worker.order, std::nullopt);
    Sharer sharer(*this, number);
    const PartReport report = run_part(*worker.execution, options_, part, known, listener_, &sharer);
    worker.events.push_back({.kind = WorkerEvent::Kind::Ended,
                             .worker = number,
                             .text = write_report(report),
                             .rest = report.rest,
                             .extra = "extra"});
}

namespace {

ThreadId same_thread(const Execution& execution, const Names& names, ThreadId thread) {
    for (std::uint32_t index = 0; index < execution.names().threads.size(); ++index) {
        if (execution.names().threads.name(ThreadId{index}) == names.threads.name(thread))
            return ThreadId{index};
    }
    FAIL("a thread that is not there");
    return {};
}

}  // namespace

void ClassesOfPaths::path(const PathReport& report) {
    if (report.end == PathEnd::Redundant) return;
    FiberExecution execution(to_fibers(program_), model_);
    execution.set_visible(visible_);
    execution.restart();
    Schedule schedule;
    for (const StepRecord& step : report.steps) {
        const Names& names = report.execution.names();
        Choice choice{same_thread(execution, names, step.thread), step.variant};
        if (step.variant.thread.valid())
            choice.variant.thread = same_thread(execution, names, step.variant.thread);
        execution.step(choice.thread, choice.variant);
        schedule.push_back(choice);
    }
    all.insert(class_of(execution, schedule));
}

}  // namespace coopcheck::testing
