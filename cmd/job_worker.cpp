#include "cmd/job_worker.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cmd/oracles.hpp"
#include "cmd/progress.hpp"
#include "cmd/strategies.hpp"
#include "core/error.hpp"
#include "explorer/coverage.hpp"
#include "explorer/search_part.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::cmd {

namespace {

using Clock = std::chrono::steady_clock;

/// Giving a part away costs both sides some time: not more often than this.
constexpr std::chrono::milliseconds between_gifts{20};

void do_nothing(int /*signal*/) {}

/// Whoever interrupts the search means the one who began it, who then tells us; a terminal tells us all. Not
/// ignored: programs would inherit that.
void leave_interrupts_to_parent() {
    struct sigaction action {};
    action.sa_handler = do_nothing;
    action.sa_flags = SA_RESTART;
    for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

/// The standard input is that of the one who began the search. If no schedule has read it so far, it is not
/// known; several of us would each read a piece of it.
void close_input() {
    ::close(STDIN_FILENO);
    static_cast<void>(::open("/dev/null", O_WRONLY | O_CLOEXEC));
}

/// To a CPU of our own, where an execution then keeps us. That programs may run on all of them is what they
/// are told when they ask.
void move_to_own_cpu(const cpu_set_t& cpus, std::size_t number) {
    const auto count = static_cast<std::size_t>(CPU_COUNT(&cpus));
    std::size_t left = count == 0 ? 0 : number % count;
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &cpus) || left-- != 0) continue;
        cpu_set_t own;
        CPU_ZERO(&own);
        CPU_SET(cpu, &own);
        // Where it is not allowed we are slow, not wrong.
        static_cast<void>(::sched_setaffinity(0, sizeof own, &own));
        break;
    }
    static_cast<void>(::sched_setaffinity(0, sizeof cpus, &cpus));
}

/// Counts on the board.
class Counter : public SearchListener {
  public:
    Counter(JobBoard& board, const tracer::TracedExecution& execution, SearchListener* next)
        : board_(board), execution_(execution), next_(next) {}

    void path(const PathReport& report) override {
        if (execution_.reaches_outside()) {
            throw Error(
                "In some schedules the program makes files, pipes or shared memory, where the copies of it "
                "in "
                "several jobs could meet; leave --jobs out.");
        }
        if (report.end != PathEnd::Abandoned) {
            board_.schedules += 1;
            if (is_failing(report)) board_.failing += 1;
            const std::uint32_t preemptions = preemptions_of(report.steps);
            std::uint32_t most = board_.bound;
            while (most < preemptions && !board_.bound.compare_exchange_weak(most, preemptions)) {
            }
        }
        next_->path(report);
    }

  private:
    JobBoard& board_;
    const tracer::TracedExecution& execution_;
    SearchListener* next_;
};

class Worker : private SearchSharer {
  public:
    Worker(const WorkerSetup& setup, const JobChannel& channel)
        : setup_(setup),
          channel_(channel),
          wishes_(setup.board.wishes[setup.number]),
          execution_(setup.launch, setup.options.traced),
          search_(as_shared(reduced_search(setup.options.strategy.name, setup.options.search))) {
        execution_.know(setup.knowledge);
        const Judge judge =
            make_judge(make_oracle(setup.options.oracle), [this] { return execution_.standard_output(); });
        search_.judge = [this, judge](const RunEnd& end, const Execution& at) {
            std::optional<Verdict> verdict = judge(end, at);
            if (verdict) setup_.board.failing += 1;
            return verdict;
        };
        search_.budget = {};
        search_.budget.interruption = [this] { return reason_to_stop(); };
    }

    void run(std::optional<JobMessage> order) {
        for (; order; order = channel_.receive()) {
            last_gift_ = Clock::now();
            Coverage coverage([this](std::uint64_t site) {
                const std::string place = execution_.describe_site(site);
                return place.substr(0, place.rfind(' '));
            });
            Counter counter(setup_.board, execution_, &coverage);
            const PartReport report =
                run_part(execution_, search_, order->texts.at(0), order->texts.at(1), &counter, this);
            if (!channel_.send(
                    {JobMessage::Kind::Ended, {write_report(report), report.rest, coverage.to_text()}})) {
                return;
            }
        }
    }

  private:
    [[nodiscard]] std::optional<std::string> reason_to_stop() {
        if (wishes_.stop.load(std::memory_order_relaxed)) return "interrupted";
        const BudgetLimits& limits = setup_.options.search.budget;
        if (setup_.board.schedules.load(std::memory_order_relaxed) >= setup_.board.most_schedules)
            return "the limit on schedules was reached";
        return limits.interruption ? limits.interruption() : std::nullopt;
    }

    [[nodiscard]] bool wants_part() override {
        return wishes_.give.load(std::memory_order_relaxed) && Clock::now() - last_gift_ >= between_gifts;
    }

    void take(const SearchState& part) override {
        last_gift_ = Clock::now();
        wishes_.give = false;
        // If nobody listens any more, the next message tells.
        static_cast<void>(
            channel_.send({JobMessage::Kind::Gave, {write_part(execution_.knowledge(), part)}}));
    }

    void tell(const SearchState& news) override {
        static_cast<void>(
            channel_.send({JobMessage::Kind::Told, {write_part(execution_.knowledge(), news)}}));
    }

    const WorkerSetup& setup_;
    const JobChannel& channel_;
    JobBoard::Wishes& wishes_;
    tracer::TracedExecution execution_;
    SearchOptions search_;
    Clock::time_point last_gift_;
};

}  // namespace

int serve_search(const WorkerSetup& setup, const JobChannel& channel) {
    leave_interrupts_to_parent();
    if (!setup.launch.input) close_input();
    std::optional<JobMessage> order = channel.receive();
    if (!order) return 0;
    move_to_own_cpu(setup.cpus, setup.number);
    try {
        Worker(setup, channel).run(std::move(order));
        return 0;
    } catch (const std::exception& error) {
        PartReport report;
        report.end = dynamic_cast<const Error*>(&error) != nullptr ? PartEnd::Failed : PartEnd::Broken;
        report.why = error.what();
        static_cast<void>(channel.send({JobMessage::Kind::Ended, {write_report(report), "", ""}}));
        return 1;
    }
}

}  // namespace coopcheck::cmd
