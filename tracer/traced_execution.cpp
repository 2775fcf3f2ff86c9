#include "tracer/traced_execution.hpp"

#include <charconv>
#include <chrono>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/error.hpp"
#include "tracer/locations.hpp"

namespace coopcheck::tracer {

namespace {

std::string describe(const Operation& operation, int result, const Names& names) {
    std::string text{name(operation.kind)};
    if (operation.object.valid()) text += " of " + names.objects.name(operation.object);
    if (operation.thread.valid()) text += " of " + names.threads.name(operation.thread);
    return text + " with result " + std::to_string(result);
}

/// In what an execution says it has learnt.
constexpr std::string_view point_word = "access ";
constexpr std::string_view atomic_word = "atomic ";
constexpr std::string_view polled_word = "polled ";

std::shared_ptr<const TracedPlace> traced(const PlacePtr& place) {
    return std::static_pointer_cast<const TracedPlace>(place);
}

}  // namespace

TracedExecution::TracedExecution(const LaunchOptions& launch, const TracedOptions& options)
    : session_(launch, options.model, options.silence_limit),
      checkpoints_(options.checkpoints, options.limits),
      roots_{std::make_shared<TracedPlace>(), std::make_shared<TracedPlace>(),
             std::make_shared<TracedPlace>()} {
    session_.watch.unshared_too = options.watch_unshared;
    session_.watch.by_points = options.racy_points == RacyPoints::Breakpoints;
}

// Code and data are known by their addresses: the same in every run of the same file, since nothing is placed
// at random. Loops that wait for memory by that of their heads.
Knowledge TracedExecution::knowledge() const {
    Knowledge knowledge{session_.names, {}};
    const auto add = [&](std::string_view what, std::uint64_t address) {
        knowledge.learnt.push_back(std::string(what) + std::to_string(address));
    };
    for (const RemoteAddress head : session_.spin_points) add("", number(head));
    for (const std::uint64_t point : session_.watch.points) add(point_word, point);
    for (const std::uint64_t byte : session_.watch.atomic_bytes) add(atomic_word, byte);
    for (const std::uint64_t byte : session_.watch.polled) add(polled_word, byte);
    return knowledge;
}

void TracedExecution::know(const Knowledge& knowledge) {
    session_.names = knowledge.names;
    const std::size_t known = this->knowledge().learnt.size();
    for (const std::string& learnt : knowledge.learnt) {
        const bool is_point = learnt.starts_with(point_word);
        const bool is_atomic = learnt.starts_with(atomic_word);
        const bool is_polled = learnt.starts_with(polled_word);
        const std::size_t word = is_point    ? point_word.size()
                                 : is_atomic ? atomic_word.size()
                                 : is_polled ? polled_word.size()
                                             : 0;
        std::uint64_t address = 0;
        const auto [end, error] =
            std::from_chars(learnt.data() + word, learnt.data() + learnt.size(), address);
        if (error != std::errc{} || end != learnt.data() + learnt.size()) {
            throw Error("What was learnt of the program cannot be read: '" + learnt + "'.");
        }
        if (is_point) {
            session_.watch.know_point(address);
        } else if (is_atomic) {
            session_.watch.atomic_bytes.insert(address);
        } else if (is_polled) {
            session_.watch.polled.insert(address);
        } else {
            session_.spin_points.insert(RemoteAddress{address});
        }
    }
    if (counts_.launches > 0 && this->knowledge().learnt.size() != known) forget();
}

void TracedExecution::launch() {
    run_.reset();
    counts_.launches += 1;
    auto& plan = plans_.at(static_cast<std::size_t>(watching_));
    if (!plan) plan = session_.watch.plan(watching_);
    session_.watch.is_used = session_.watch.is_used || watching_ != Watching::Off;
    try {
        run_ = std::make_unique<Run>(session_, plan);
    } catch (const Refined&) {
        forget();
        throw;
    }
    place_ = root();
    checkpoint_depth_ = 0;
    if (checkpoints_.keeps_root() && run_->can_be_copied() && !place_->checkpoint) {
        if (auto copy = run_->make_checkpoint()) place_->checkpoint = std::make_unique<Run>(std::move(*copy));
    }
}

void TracedExecution::forget() {
    run_.reset();
    for (auto& root : roots_) root = std::make_shared<TracedPlace>();
    plans_ = {};
    session_.watch.renew_points();
    place_ = root();
}

void TracedExecution::restart() {
    // Its copy does not know yet what has to be watched.
    if (watching_ != Watching::Off && run_ && run_->watched_too_late()) {
        root() = std::make_shared<TracedPlace>();
        plans_.at(static_cast<std::size_t>(watching_)).reset();
    }
    if (!resume(root())) launch();
}

bool TracedExecution::resume(const std::shared_ptr<const TracedPlace>& place) {
    run_.reset();
    while (place->checkpoint) {
        if (std::optional<Run> copy = place->checkpoint->resume_checkpoint()) {
            run_ = std::make_unique<Run>(std::move(*copy));
            place_ = place;
            checkpoint_depth_ = place->depth();
            return true;
        }
        // Memory or processes are short; checkpoints are what we can do without.
        if (!checkpoints_.drop_some()) {
            for (const auto& root : roots_) root->checkpoint.reset();
        }
    }
    return false;
}

std::span<const ParkedThread> TracedExecution::parked() const {
    COOPCHECK_CHECK(run_, "an execution that was never started");
    return run_->state().parked;
}

const SyncModel& TracedExecution::model() const {
    COOPCHECK_CHECK(run_, "an execution that was never started");
    return run_->state().model;
}

StepResult TracedExecution::step(ThreadId thread, Variant variant) {
    counts_.steps += 1;
    return step_to(thread, variant, nullptr);
}

StepResult TracedExecution::step_to(ThreadId thread, Variant variant,
                                    std::shared_ptr<const TracedPlace> known) {
    COOPCHECK_CHECK(run_, "an execution that was never started");
    const auto before = std::chrono::steady_clock::now();
    StepResult result;
    try {
        result = run_->step(thread, variant);
    } catch (const Refined&) {
        forget();
        throw;
    }
    checkpoints_.step_took(std::chrono::steady_clock::now() - before);
    if (!known) {
        known = std::make_shared<const TracedPlace>(place_, Choice{thread, variant}, result.operation,
                                                    result.outcome.result);
    } else if (known->done() != result.operation || known->result() != result.outcome.result) {
        throw Error("The program is not deterministic here: step " + std::to_string(known->depth()) +
                    ", of thread " + session_.names.threads.name(thread) + ", was " +
                    describe(known->done(), known->result(), session_.names) + " and is now " +
                    describe(result.operation, result.outcome.result, session_.names) +
                    "; look for data races, uninitialized memory and inputs that change.");
    }
    place_ = std::move(known);
    if (place_->checkpoint) checkpoint_depth_ = place_->depth();
    return result;
}

PlacePtr TracedExecution::here() {
    COOPCHECK_CHECK(run_, "an execution that was never started");
    if (run_->can_be_copied() && !place_->checkpoint &&
        checkpoints_.worth_it(place_->depth() - checkpoint_depth_)) {
        if (checkpoints_.make(place_, *run_)) counts_.checkpoints += 1;
        checkpoint_depth_ = place_->depth();
    }
    return place_;
}

void TracedExecution::revisit(const PlacePtr& place) {
    std::vector<std::shared_ptr<const TracedPlace>> way;
    std::shared_ptr<const TracedPlace> nearest = traced(place);
    const bool can_stay = run_ && !run_->ended();
    while (nearest->depth() > 0 && !nearest->checkpoint && !(can_stay && nearest == place_)) {
        way.push_back(nearest);
        nearest = traced(nearest->parent());
    }
    if (can_stay && nearest == place_) {
        // The program stands on the way already.
    } else if (nearest->depth() == 0) {
        restart();
    } else if (!resume(nearest)) {
        revisit(place);  // from further back
        return;
    }
    for (auto next = way.rbegin(); next != way.rend(); ++next) {
        const Choice choice = (*next)->last();
        if (run_->ended()) {
            throw Error(
                "The program is not deterministic here: a run that went on before has ended at step " +
                std::to_string(place_->depth()) + "; look for data races and inputs that change.");
        }
        step_to(choice.thread, choice.variant, *next);
        counts_.replayed_steps += 1;
    }
}

void TracedExecution::set_visible(std::span<const Location> locations) {
    std::set<std::uint64_t> bytes;
    for (const Location location : locations) bytes.insert(location.value());
    if (bytes == session_.watch.visible && !session_.watch.missed_point) return;
    session_.watch.visible = std::move(bytes);
    forget();
}

std::vector<Location> TracedExecution::awaited() const {
    std::vector<Location> all;
    for (const std::uint64_t byte : session_.watch.awaited) all.push_back(Location::memory(byte));
    return all;
}

std::string TracedExecution::describe_location(Location location) {
    if (!run_) restart();
    return name_of_byte(RemoteAddress{location.value()}, run_->state(), session_.names.threads);
}

std::optional<Location> TracedExecution::find_location(const std::string& name) {
    if (!run_) restart();
    const auto byte = byte_named(name, run_->state(), session_.names.threads);
    return byte ? std::optional{Location::memory(number(*byte))} : std::nullopt;
}

std::optional<std::uint64_t> TracedExecution::fingerprint() {
    COOPCHECK_CHECK(run_, "an execution that was never started");
    return run_->ended() ? std::nullopt : run_->fingerprint();
}

std::vector<std::string> TracedExecution::blind_spots() {
    std::vector<std::string> all;
    for (const RemoteAddress point : session_.spin_points) {
        all.push_back("the program waits in a loop for memory to change, at " +
                      describe_site(number(point) + 1) + ", and accesses to memory are not explored");
    }
    for (const std::uint64_t place : session_.watch.obscure) {
        all.push_back("not all that an instruction touches is known, at " + describe_site(place + 1));
    }
    for (const std::uint64_t place : session_.watch.out_of_reach) {
        all.push_back(
            "an instruction accesses memory that is also accessed without a lock, and cannot be a place "
            "to switch at, at " +
            describe_site(place + 1));
    }
    if (session_.watch.gave_up) {
        all.emplace_back(
            "accesses were watched only up to a number of them in each schedule: there are too many");
    }
    if (session_.watch.left_step) {
        all.emplace_back("accesses were watched only up to a number of them in a step: there are too many");
    }
    if (session_.watch.visible_in_system_call) {
        all.emplace_back(
            "a system call accesses memory that is also accessed without a lock, and is no place "
            "to switch at");
    }
    return all;
}

const std::string& TracedExecution::standard_output() const { return run_->state().output[0]; }
const std::string& TracedExecution::standard_error() const { return run_->state().output[1]; }

std::string TracedExecution::describe_site(std::uint64_t site) {
    if (!run_) restart();
    return run_ ? session_.source_lines.describe(RemoteAddress{site}, run_->state().loaded->modules) : "";
}

bool TracedExecution::is_static() {
    if (!run_) restart();
    return run_ && run_->state().loaded->modules.all().size() == 1;
}

bool TracedExecution::is_in_unknown_library(std::uint64_t site) {
    if (!run_) restart();
    return run_ &&
           session_.source_lines.is_unknown_library(RemoteAddress{site}, run_->state().loaded->modules);
}

std::vector<TracePlace> TracedExecution::stack(ThreadId thread) const {
    return run_ ? run_->stack(thread) : std::vector<TracePlace>{};
}

std::string TracedExecution::label(ObjectId object) const { return run_ ? run_->label(object) : ""; }

std::vector<TracePlace> TracedExecution::calls_at(std::uint64_t frame) const {
    return run_ ? run_->calls_at(RemoteAddress{frame}) : std::vector<TracePlace>{};
}

std::string TracedExecution::memory_label(Location location, ThreadId thread) const {
    return run_ ? run_->memory_label(RemoteAddress{location.value()}, thread) : "";
}

std::string TracedExecution::instruction(ThreadId thread) const {
    return run_ ? run_->instruction_text(thread) : "";
}

std::string TracedExecution::instruction_at(std::uint64_t address) const {
    return run_ && !run_->ended() ? run_->instruction_text(RemoteAddress{address}) : "";
}

std::optional<std::uint64_t> TracedExecution::value(Location location, std::uint32_t size) const {
    return run_ ? run_->value_at(RemoteAddress{location.value()}, size) : std::nullopt;
}

std::optional<TraceAllocation> TracedExecution::allocation(Location location) const {
    return run_ ? run_->allocation_of(RemoteAddress{location.value()}) : std::nullopt;
}

ReleasedProgram TracedExecution::release() {
    COOPCHECK_CHECK(run_, "an execution that was never started");
    ReleasedProgram program = run_->release();
    program.cpus = session_.pin.before();
    return program;
}

TracedExecution::Counts TracedExecution::counts() const { return counts_; }

}  // namespace coopcheck::tracer
