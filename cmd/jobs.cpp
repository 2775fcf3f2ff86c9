#include "cmd/jobs.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cmd/job_board.hpp"
#include "cmd/job_channel.hpp"
#include "cmd/job_worker.hpp"
#include "core/error.hpp"
#include "tracer/child_process.hpp"
#include "tracer/result.hpp"

namespace coopcheck::cmd {

namespace {

constexpr int look_every_ms = 100;

std::string how_it_ended(const tracer::WaitStatus& status) {
    if (const auto* signalled = std::get_if<tracer::Signalled>(&status)) {
        return std::string("one of the jobs was killed (") + ::strsignal(signalled->signal) + ")";
    }
    return "one of the jobs has ended";
}

class Jobs : public Workers {
  public:
    explicit Jobs(const JobsSetup& setup) : setup_(setup) {}

    std::size_t start(const Knowledge& knowledge, std::size_t schedules) override {
        jobs_.clear();
        board_->schedules = 0;
        board_->failing = 0;
        board_->bound = 0;
        board_->most_schedules = schedules;
        setup_.progress.note({});
        for (std::size_t number = 0; number < setup_.options.jobs; ++number) start_job(knowledge, number);
        is_interrupted_ = false;
        return jobs_.size();
    }

    void begin(std::size_t worker, const std::string& part, const std::string& known) override {
        board_->wishes[worker].give = false;
        board_->wishes[worker].stop = false;
        // One that is gone is noticed by next().
        static_cast<void>(jobs_[worker].channel.send({JobMessage::Kind::Begin, {part, known}}));
    }

    void ask_for_part(std::size_t worker) override { board_->wishes[worker].give = true; }
    void stop(std::size_t worker) override { board_->wishes[worker].stop = true; }

    WorkerEvent next() override {
        for (;;) {
            if (!is_interrupted_) {
                if (std::optional<std::string> why = reason_to_stop()) {
                    is_interrupted_ = true;
                    return {.kind = WorkerEvent::Kind::Interrupted, .text = *why};
                }
            }
            setup_.progress.note({board_->schedules, board_->failing, board_->bound});
            if (const std::optional<std::size_t> worker = wait()) return hear(*worker);
        }
    }

    void count(const std::string& extra) override {
        if (!extra.empty()) setup_.coverage.add_text(extra);
    }

    void start_over() override { jobs_.clear(); }

  private:
    struct Job {
        JobChannel channel;
        tracer::ChildProcess process;
        bool is_lost = false;
    };

    void start_job(const Knowledge& knowledge, std::size_t number) {
        WorkerSetup worker{setup_.options, setup_.launch, setup_.execution.cpus(),
                           knowledge,      board_.get(),  number};
        // Read once, for all.
        if (setup_.execution.input_read()) worker.launch.input = setup_.execution.input_read();
        auto channels = make_job_channel();
        JobChannel& ours = channels.first;
        JobChannel& theirs = channels.second;
        tracer::ChildProcess process([&] {
            // Otherwise the end of one of them would not be the end of its channel.
            ours.close();
            for (Job& job : jobs_) job.channel.close();
            return serve_search(worker, theirs);
        });
        jobs_.push_back({std::move(ours), std::move(process)});
    }

    [[nodiscard]] std::optional<std::string> reason_to_stop() const {
        const auto& interruption = setup_.options.search.budget.interruption;
        return interruption ? interruption() : std::nullopt;
    }

    /// For a word of one of them, or some time.
    [[nodiscard]] std::optional<std::size_t> wait() {
        std::vector<pollfd> files;
        for (const Job& job : jobs_) files.push_back({job.is_lost ? -1 : job.channel.number(), POLLIN, 0});
        const int ready = ::poll(files.data(), files.size(), look_every_ms);
        if (ready == -1 && errno != EINTR) {
            throw Error("Cannot wait for the jobs: " + tracer::last_error().message() + ".");
        }
        if (ready <= 0) return std::nullopt;
        const auto word =
            std::find_if(files.begin(), files.end(), [](const pollfd& file) { return file.revents != 0; });
        return static_cast<std::size_t>(word - files.begin());
    }

    [[nodiscard]] WorkerEvent hear(std::size_t worker) {
        Job& job = jobs_[worker];
        std::optional<JobMessage> message = job.channel.receive();
        if (!message) {
            job.is_lost = true;
            return {.kind = WorkerEvent::Kind::Lost,
                    .worker = worker,
                    .text = how_it_ended(job.process.kill_and_reap())};
        }
        if (message->kind != JobMessage::Kind::Ended) {
            const bool has_given = message->kind == JobMessage::Kind::Gave;
            return {.kind = has_given ? WorkerEvent::Kind::Gave : WorkerEvent::Kind::Told,
                    .worker = worker,
                    .text = std::move(message->texts.at(0))};
        }
        return {.kind = WorkerEvent::Kind::Ended,
                .worker = worker,
                .text = std::move(message->texts.at(0)),
                .rest = std::move(message->texts.at(1)),
                .extra = std::move(message->texts.at(2))};
    }

    JobsSetup setup_;
    SharedBoard board_;
    std::vector<Job> jobs_;
    bool is_interrupted_ = false;
};

}  // namespace

std::unique_ptr<Workers> make_jobs(const JobsSetup& setup) { return std::make_unique<Jobs>(setup); }

void check_jobs(const ExploreOptions& options) {
    constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
    if (options.jobs <= 1) return;
    const auto refuse = [](const std::string& what) { throw Error(what + "; leave --jobs out."); };
    const StrategyName strategy = options.strategy.name;
    const bool is_of_classes = strategy == StrategyName::Classes || strategy == StrategyName::Source ||
                               strategy == StrategyName::Optimal;
    if (strategy != StrategyName::ExitBlock && !is_of_classes) {
        refuse(
            "Only a search by the strategy classes, exitblock, source or optimal can be shared among jobs");
    }
    if (!options.resume_file.empty()) refuse("A search among jobs cannot be saved and gone on with");
    if (options.races.races == RaceSampling::Every || options.races.footprints != FootprintSource::Locks) {
        refuse("A search that watches every schedule cannot be shared among jobs");
    }
    if (options.search.budget.steps != unlimited) {
        refuse("Jobs do not count their steps together: give --schedules or --time instead of --steps");
    }
    if (options.search.max_findings != 1 && options.search.max_findings != unlimited) {
        refuse(
            "Several jobs cannot stop after a certain number of findings, but after the first, or "
            "(--keep-going) never");
    }
}

}  // namespace coopcheck::cmd
