#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/noise.hpp"
#include "tracer/breakpoints.hpp"
#include "tracer/child_signal.hpp"
#include "tracer/free_runs.hpp"
#include "tracer/launch.hpp"
#include "tracer/run_state.hpp"
#include "tracer/target_memory.hpp"
#include "tracer/wait.hpp"

namespace coopcheck::tracer {

/// One free run: a process whose threads are all traced and all run, except for the moments in which we look
/// at one of them and the times for which noise holds it.
///
/// The breakpoints are never lifted for one thread while others run: the functions are entered through copies
/// of their first instructions, and where such a copy is not possible the others stand still for one step.
class FreeRun {
  public:
    FreeRun(FreeSession& session, Launched launched, const ChildSignal& child_signal,
            const DecideNoise& decide);
    /// Kills and reaps every process of the run.
    ~FreeRun();
    FreeRun(const FreeRun&) = delete;
    FreeRun& operator=(const FreeRun&) = delete;

    /// Runs the program to its end, which is the result, or until `outcome.stop` says why not.
    [[nodiscard]] std::optional<WaitStatus> to_end(FreeOutcome& outcome);

  private:
    using Clock = std::chrono::steady_clock;

    /// A function that the thread has entered and may still be in.
    struct Inside {
        RemoteAddress stack{};
        std::uint64_t return_address = 0;
    };

    /// A kernel thread that we trace: of the program itself or of a process it has made.
    struct Tracee {
        /// The program's own: an index into state_.threads.
        std::optional<std::size_t> thread;
        /// Its first stop, at its birth, is still to come.
        bool is_new = false;
        /// Stops that we have asked for and that have not come yet.
        unsigned stops_to_come = 0;
        /// Stopped for our purposes: neither running nor to be looked at.
        bool stands_still = false;
        /// Stopped before this operation, which happens when it is let go.
        bool is_held = false;
        Operation operation;
        Clock::time_point held_until;
        /// A yield: it goes on as soon as another thread has made an operation.
        std::optional<std::size_t> held_at_operation;
        /// What came while it was stopped for another reason.
        std::optional<WaitStatus> put_aside;
        int deliver = 0;
        std::optional<Inside> inside;
        /// The function of its last operation.
        std::string function;
        bool has_failed = false;
    };

    // free_run.cpp: the loop
    /// Whether anything had happened.
    bool look_at_all();
    void release_due();
    [[nodiscard]] std::chrono::microseconds time_to_next_release() const;
    /// Whether the run has to be given up now.
    [[nodiscard]] bool must_stop(FreeOutcome& outcome);
    void on_status(ProcessId id, const WaitStatus& status);
    void on_event(ProcessId id, ptrace::Event event);
    void on_signal(ProcessId id, int signal);
    void on_birth(ProcessId parent, bool may_be_thread);
    void go_on(ProcessId id, int signal = 0);
    void record(const Tracee& tracee);
    /// Takes away what is left of threads that were born and killed before their births were reported.
    void bury_unknown();

    // free_calls.cpp: arriving at functions
    void install_breakpoints(const Launched& launched);
    void refresh_loaded();
    void on_call(ProcessId id, user_regs_struct registers, RemoteAddress function,
                 const Breakpoint& breakpoint);
    /// What the call is about, if it is an operation of the program.
    [[nodiscard]] std::optional<Operation> operation_of(Tracee& tracee, const user_regs_struct& registers,
                                                        const Hook& hook);
    [[nodiscard]] bool is_nested(const Tracee& tracee, const user_regs_struct& registers,
                                 RemoteAddress function) const;
    [[nodiscard]] ObjectId object_at(VirtualThread& thread, RemoteAddress address, ObjectClass object_class);
    void name_new_object(VirtualThread& thread, RemoteAddress address, ObjectClass object_class);
    void arrive(ProcessId id, const Operation& operation);
    [[nodiscard]] const std::string& function_of(std::uint64_t site);
    /// The thread's own code of the function runs when it goes on. False if it is gone.
    bool enter(ProcessId id, user_regs_struct registers, RemoteAddress function,
               const Breakpoint& breakpoint);

    // free_step.cpp: one thread alone
    void step_alone(ProcessId id, user_regs_struct registers, RemoteAddress function,
                    const Breakpoint& breakpoint);
    void stop_all_but(ProcessId id);

    FreeSession& session_;
    ChildProcess process_;
    TargetMemory memory_;
    const ChildSignal& child_signal_;
    const DecideNoise& decide_;
    /// Threads, objects and what is loaded; there is no model of a free run.
    RunState state_;
    std::map<ProcessId, Tracee> tracees_;
    std::vector<FreeOperation> operations_;
    std::size_t noises_ = 0;
    std::size_t refused_priorities_ = 0;
    /// main has been reached.
    bool started_ = false;
    std::optional<WaitStatus> end_;
    Clock::time_point started_at_;
    Clock::time_point last_event_;
};

}  // namespace coopcheck::tracer
