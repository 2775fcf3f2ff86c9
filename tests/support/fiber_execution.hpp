#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/execution.hpp"
#include "tests/support/fiber.hpp"
#include "tests/support/fiber_api.hpp"

namespace coopcheck::testing {

/// Runs a model program whose threads are fibers. No kernel, about a microsecond per run and thread.
///
/// main is parked before its first visible operation after restart(); what it accesses before that is in no
/// step. If the run ends before (a bad declaration), main is parked at ThreadStart and its step tells the
/// end. The end of main's function is ThreadExit, like that of every thread. An exception that leaves a
/// thread is thrown by step().
class FiberExecution : public Execution {
  public:
    explicit FiberExecution(FiberProgram program, ModelOptions options = {});
    ~FiberExecution() override;

    void restart() override;
    [[nodiscard]] std::span<const ParkedThread> parked() const override { return parked_; }
    [[nodiscard]] const SyncModel& model() const override { return model_; }
    StepResult step(ThreadId thread, Variant variant) override;
    [[nodiscard]] PlacePtr here() override;
    /// By replaying from the start, or from where the program is if that lies on the way.
    void revisit(const PlacePtr& place) override;
    void set_visible(std::span<const Location> locations) override;
    [[nodiscard]] const Names& names() const override { return names_; }
    void know(const Knowledge& knowledge) override { names_ = knowledge.names; }

    /// The locations of all variables declared in any run so far.
    [[nodiscard]] std::vector<Location> variables() const;
    [[nodiscard]] const std::string& variable_name(Location location) const;
    /// The steps from the start to where the program is.
    [[nodiscard]] const Schedule& path() const { return path_; }
    /// The values of all variables and what the threads have recorded, by name:
    /// "x0=1 x1=0; T0: 0 0; T0.1: 2 0".
    [[nodiscard]] std::string final_state() const;

    /// Programs whose threads remember nothing between operations but in variables: what fingerprint() needs.
    void compare_states_by_variables() { has_fingerprint_ = true; }
    [[nodiscard]] std::optional<std::uint64_t> fingerprint() override;

    /// Over all runs, replays included.
    [[nodiscard]] std::uint64_t steps_executed() const { return steps_executed_; }
    [[nodiscard]] std::uint64_t runs_started() const { return runs_started_; }

  private:
    friend class Api;

    /// One per thread ever seen, used again in every run.
    struct Thread {
        Thread(ThreadId own_id, std::function<void()> job) : id(own_id), fiber(std::move(job)) {}

        ThreadId id;
        Fiber fiber;
        std::function<void()> body;
        bool born = false;
        Operation pending;
        /// What the call the thread is parked in returns.
        Outcome outcome;
        /// The comparison of the futex wait the thread is parked at.
        Var futex_word;
        std::int64_t futex_expected = 0;
        /// The text of the check the thread has failed.
        std::string failure;
        unsigned trusted_depth = 0;
        std::uint64_t site = 0;
        unsigned children = 0;
        std::vector<ThreadId> child_ids;
        std::vector<std::int64_t> records;
    };
    struct Object {
        std::string name;
        ObjectId id;
    };
    struct Variable {
        std::string name;
        Location location;
        ObjectId futex;
        std::int64_t value = 0;
        bool declared = false;
        bool visible = false;
        bool atomic = false;
    };
    struct Cancelled {};

    // For Api: called from inside a fiber, by the thread that runs.
    ObjectId declare(std::string_view name, const ObjectInit& how);
    Var declare_variable(std::string_view name, std::int64_t initial, bool atomic);
    ObjectId futex_of(Var var);
    int perform(Operation operation);
    ThreadId create(std::function<void()> body, bool detached);
    void end_run(RunEnd end);
    [[nodiscard]] Thread& current();
    [[nodiscard]] Variable& variable(Var var) { return variables_[var.index]; }
    void note_access(const Variable& variable, bool write, bool atomic);

    Thread& thread(ThreadId id);
    ThreadId next_child(Thread& parent);
    void start_run();
    void run_body(Thread& thread);
    void run_on(Thread& thread);
    void park_new(Thread& thread, const Operation& operation);
    [[nodiscard]] bool legal(const ParkedThread& parked, Variant variant);
    /// The whole of a step but for the accesses, which are left in accesses_.
    void advance(Choice choice, StepResult& result);
    /// Lets the thread go on after its operation, as far as the outcome lets it.
    void run_after(const Operation& operation, Thread& stepped);
    [[nodiscard]] bool is_visible(Location location) const;

    FiberProgram program_;
    ModelOptions options_;
    Api api_;
    Names names_;
    std::vector<Location> visible_;
    std::optional<std::vector<Location>> next_visible_;

    std::vector<std::unique_ptr<Thread>> threads_;
    std::vector<Object> objects_;
    std::vector<Variable> variables_;
    SyncModel model_;
    std::vector<ParkedThread> parked_;
    std::optional<RunEnd> end_;
    Thread* current_ = nullptr;

    std::vector<Access> accesses_;
    Schedule path_;
    /// Leads to a prefix of path_.
    PlacePtr place_;
    PlacePtr root_;
    StepResult replayed_;
    Schedule wanted_;
    std::vector<Variant> variants_;
    bool has_fingerprint_ = false;
    std::uint64_t steps_executed_ = 0;
    std::uint64_t runs_started_ = 0;
};

}  // namespace coopcheck::testing
