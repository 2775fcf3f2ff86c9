#include "tests/support/fiber_execution.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "tests/support/outcomes.hpp"

namespace coopcheck::testing {

namespace {

Operation operation_of(OpKind kind) {
    Operation operation;
    operation.kind = kind;
    return operation;
}

}  // namespace

FiberExecution::FiberExecution(FiberProgram program, ModelOptions options)
    : program_(std::move(program)), options_(options), api_(*this), root_(std::make_shared<Place>()) {}

FiberExecution::~FiberExecution() {
    // Threads that are unwound may still use the execution.
    for (const auto& thread : threads_) {
        current_ = thread.get();
        thread->fiber.abandon();
    }
}

void FiberExecution::restart() {
    if (next_visible_) {
        if (*next_visible_ != visible_) {
            root_ = std::make_shared<Place>();
        }
        visible_ = std::move(*next_visible_);
        next_visible_.reset();
        for (Variable& variable : variables_) {
            variable.visible = is_visible(variable.location);
        }
    }
    start_run();
}

void FiberExecution::start_run() {
    for (const auto& thread : threads_) {
        current_ = thread.get();
        thread->fiber.abandon();
        thread->body = nullptr;
        thread->born = false;
        thread->trusted_depth = 0;
        thread->site = 0;
        thread->children = 0;
        thread->records.clear();
    }
    for (Variable& variable : variables_) {
        variable.declared = false;
    }
    model_ = SyncModel(options_);
    parked_.clear();
    end_.reset();
    path_.clear();
    place_ = root_;
    ++runs_started_;

    Thread& main = thread(main_thread);
    main.body = [this] { program_.main(api_); };
    main.born = true;
    park_new(main, operation_of(OpKind::ThreadStart));
    run_on(main);
    accesses_.clear();
    if (!end_) {
        parked_.front().operation = main.pending;
    }
}

FiberExecution::Thread& FiberExecution::thread(ThreadId id) {
    while (threads_.size() <= id.index()) {
        const ThreadId next{static_cast<std::uint32_t>(threads_.size())};
        threads_.push_back(
            std::make_unique<Thread>(next, [this, next] { run_body(*threads_[next.index()]); }));
    }
    return *threads_[id.index()];
}

FiberExecution::Thread& FiberExecution::current() {
    COOPCHECK_CHECK(current_ != nullptr, "the API of fibers is used outside of a thread");
    return *current_;
}

void FiberExecution::run_body(Thread& thread) {
    try {
        thread.body();
    } catch (const Cancelled&) {  // NOLINT(bugprone-empty-catch): it has done its work
    }
    thread.pending = operation_of(OpKind::ThreadExit);
    thread.pending.site = thread.site;
}

void FiberExecution::run_on(Thread& thread) {
    current_ = &thread;
    thread.fiber.resume();
    current_ = nullptr;
}

int FiberExecution::perform(Operation operation) {
    Thread& thread = current();
    operation.trusted = thread.trusted_depth > 0;
    operation.site = thread.site;
    thread.pending = operation;
    thread.fiber.suspend();
    if (thread.outcome.cancelled && !thread.fiber.abandoned()) {
        throw Cancelled{};
    }
    return thread.outcome.result;
}

void FiberExecution::end_run(RunEnd end) {
    if (!current().fiber.abandoned()) {
        end_ = std::move(end);
    }
    current().fiber.suspend();
}

ObjectId FiberExecution::declare(std::string_view name, const ObjectInit& how) {
    auto object = std::find_if(objects_.begin(), objects_.end(),
                               [&](const Object& known) { return known.name == name; });
    if (object == objects_.end()) {
        objects_.push_back({std::string(name), names_.objects.intern(std::string(name))});
        object = objects_.end() - 1;
    }
    const ObjectId id = object->id;
    if (model_.known(id)) {
        COOPCHECK_CHECK(model_.object(id).object_class == how.object_class,
                        "two objects are called " + std::string(name));
        return id;
    }
    if (const auto misuse = model_.init(id, how)) {
        end_run({.kind = RunEnd::Kind::Misused, .message = std::string(name), .misuse = misuse});
    }
    return id;
}

Var FiberExecution::declare_variable(std::string_view name, std::int64_t initial, bool atomic) {
    auto known = std::find_if(variables_.begin(), variables_.end(),
                              [&](const Variable& variable) { return variable.name == name; });
    if (known == variables_.end()) {
        constexpr std::uint64_t first_address = 0x1000;
        constexpr std::uint64_t distance = 16;
        const Location location = Location::memory(first_address + distance * variables_.size());
        variables_.push_back({.name = std::string(name),
                              .location = location,
                              .futex = ObjectId{},
                              .visible = is_visible(location),
                              .atomic = atomic});
        known = variables_.end() - 1;
    }
    if (!known->declared) {
        known->declared = true;
        known->value = initial;
    }
    return {static_cast<std::uint32_t>(known - variables_.begin())};
}

ObjectId FiberExecution::futex_of(Var var) {
    Variable& word = variable(var);
    if (!word.futex.valid() || !model_.known(word.futex)) {
        word.futex = declare("futex " + word.name, {.object_class = ObjectClass::Futex});
    }
    return word.futex;
}

ThreadId FiberExecution::next_child(Thread& parent) {
    parent.children += 1;
    if (parent.child_ids.size() < parent.children) {
        parent.child_ids.push_back(names_.threads.child(parent.id, parent.children));
    }
    return parent.child_ids[parent.children - 1];
}

ThreadId FiberExecution::create(std::function<void()> body, bool detached) {
    const ThreadId child = next_child(current());
    thread(child).body = std::move(body);
    Operation operation = operation_of(OpKind::ThreadCreate);
    operation.thread = child;
    operation.value = detached ? 1 : 0;
    perform(operation);
    return child;
}

void FiberExecution::note_access(const Variable& variable, bool write, bool atomic) {
    accesses_.push_back({variable.location, write, atomic || variable.atomic, current().site});
}

void FiberExecution::park_new(Thread& thread, const Operation& operation) {
    const auto position = std::find_if(parked_.begin(), parked_.end(),
                                       [&](const ParkedThread& other) { return other.thread > thread.id; });
    parked_.insert(position, {thread.id, operation});
}

bool FiberExecution::legal(const ParkedThread& parked, Variant variant) {
    model_.options(parked.thread, parked.operation, variants_);
    return std::find(variants_.begin(), variants_.end(), variant) != variants_.end() ||
           (variant == Variant::timeout() && model_.can_time_out(parked.thread, parked.operation));
}

void FiberExecution::advance(Choice choice, StepResult& result) {
    const ParkedThread& parked = parked_thread(choice.thread);
    COOPCHECK_CHECK(legal(parked, choice.variant), "a step that is not possible now");
    Thread& stepped = thread(choice.thread);
    Operation operation = parked.operation;
    accesses_.clear();
    path_.push_back(choice);
    ++steps_executed_;

    if (operation.kind == OpKind::FutexWait) {
        const Variable& word = variable(stepped.futex_word);
        operation.value = word.value == stepped.futex_expected ? 1 : 0;
        accesses_.push_back({word.location, false, true, operation.site});
    }
    if (!end_) {  // otherwise main failed before its first operation, and this step is to tell
        stepped.outcome = model_.apply(choice.thread, operation, choice.variant);
        result.outcome = stepped.outcome;
        run_after(operation, stepped);
    }
    result.operation = operation;
    result.variant = choice.variant;
    result.thread_ended = operation.kind == OpKind::ThreadExit && !result.outcome.misuse;
    if (end_) {
        parked_.clear();
        result.end = end_;
    }
}

void FiberExecution::run_after(const Operation& operation, Thread& stepped) {
    const auto entry = std::find_if(parked_.begin(), parked_.end(),
                                    [&](const ParkedThread& parked) { return parked.thread == stepped.id; });
    if (stepped.outcome.misuse) {
        end_ = RunEnd{.kind = RunEnd::Kind::Misused, .message = {}, .misuse = stepped.outcome.misuse};
        return;
    }
    if (stepped.outcome.parked_at) {
        entry->operation = *stepped.outcome.parked_at;
        return;
    }
    if (operation.kind == OpKind::ProcessExit) {
        const int code = static_cast<int>(operation.value);
        end_ = RunEnd{.kind = RunEnd::Kind::ProcessExit, .code = code, .message = {}, .misuse = {}};
        return;
    }
    if (operation.kind == OpKind::Failure) {
        end_ = RunEnd{.kind = RunEnd::Kind::Failed,
                      .failure = FindingKind::Assertion,
                      .message = stepped.failure,
                      .misuse = {}};
        return;
    }
    if (operation.kind == OpKind::ThreadExit) {
        parked_.erase(entry);
        if (parked_.empty()) {
            end_ = RunEnd{.kind = RunEnd::Kind::AllThreadsEnded, .message = {}, .misuse = {}};
        }
        return;
    }
    if (stepped.outcome.cancelled) {
        model_.set_cancel_enabled(stepped.id, false);  // it acts on the request once
    }
    run_on(stepped);
    entry->operation = stepped.pending;
    if (operation.kind == OpKind::ThreadCreate) {
        Thread& child = thread(operation.thread);
        child.born = true;
        park_new(child, operation_of(OpKind::ThreadStart));
    }
}

StepResult FiberExecution::step(ThreadId thread, Variant variant) {
    StepResult result;
    advance({thread, variant}, result);
    result.accesses = accesses_;
    return result;
}

PlacePtr FiberExecution::here() {
    COOPCHECK_CHECK(place_ != nullptr, "a place before the first restart");
    while (place_->depth() < path_.size()) {
        place_ = std::make_shared<Place>(place_, path_[place_->depth()]);
    }
    return place_;
}

void FiberExecution::revisit(const PlacePtr& place) {
    wanted_.resize(place->depth());
    const Place* ancestor = place.get();
    for (; ancestor->depth() > 0; ancestor = ancestor->parent().get()) {
        wanted_[ancestor->depth() - 1] = ancestor->last();
    }
    COOPCHECK_CHECK(ancestor == root_.get(),
                    "a place of another execution, or of before other accesses became visible");
    const bool is_ahead = place_ != nullptr && path_.size() <= wanted_.size() &&
                          std::equal(path_.begin(), path_.end(), wanted_.begin());
    if (!is_ahead) {
        start_run();
    }
    while (path_.size() < wanted_.size()) {
        advance(wanted_[path_.size()], replayed_);
    }
    place_ = place;
}

bool FiberExecution::is_visible(Location location) const {
    return std::find(visible_.begin(), visible_.end(), location) != visible_.end();
}

void FiberExecution::set_visible(std::span<const Location> locations) {
    next_visible_.emplace(locations.begin(), locations.end());
    std::sort(next_visible_->begin(), next_visible_->end());
}

std::vector<Location> FiberExecution::variables() const {
    std::vector<Location> all;
    for (const Variable& variable : variables_) {
        all.push_back(variable.location);
    }
    return all;
}

const std::string& FiberExecution::variable_name(Location location) const {
    const auto found = std::find_if(variables_.begin(), variables_.end(),
                                    [&](const Variable& variable) { return variable.location == location; });
    COOPCHECK_CHECK(found != variables_.end(), "a location that is no variable");
    return found->name;
}

std::optional<std::uint64_t> FiberExecution::fingerprint() {
    if (!has_fingerprint_) {
        return std::nullopt;
    }
    std::uint64_t hash = std::hash<std::string>{}(final_state()) ^ model_.hash();
    for (const ParkedThread& parked : parked_) {
        hash = hash * 31 + static_cast<std::uint64_t>(parked.operation.kind);
        hash = hash * 31 + parked.operation.site;
    }
    return hash;
}

std::string FiberExecution::final_state() const {
    std::vector<std::pair<std::string, std::int64_t>> values;
    for (const Variable& variable : variables_) {
        if (variable.declared) {
            values.emplace_back(variable.name, variable.value);
        }
    }
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> records;
    for (const auto& thread : threads_) {
        if (thread->born) {
            records.emplace_back(names_.threads.name(thread->id), thread->records);
        }
    }
    return describe_state(std::move(values), std::move(records));
}

}  // namespace coopcheck::testing
