#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/execution.hpp"
#include "tracer/child_process.hpp"
#include "tracer/created_files.hpp"
#include "tracer/file_calls.hpp"
#include "tracer/polled_memory.hpp"
#include "tracer/released_program.hpp"
#include "tracer/run_state.hpp"
#include "tracer/session.hpp"
#include "tracer/target_memory.hpp"

namespace coopcheck::tracer {

/// One run of the target: a process and what we know of it. Goes forward only; going back is done with
/// copies.
///
/// Call order: step() with a parked thread until ended(). make_checkpoint() at any time when can_be_copied().
class Run {
  public:
    /// Starts the program and lets it run to main's first operation. If the run ends before, main is parked
    /// at ThreadStart and its step tells the end.
    explicit Run(Session& session, std::shared_ptr<const WatchPlan> plan = nullptr);

    Run(Run&&) = default;
    Run& operator=(Run&&) = delete;
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    ~Run() = default;

    /// A copy to be kept and not to be run; nothing if the kernel has no room for another process.
    [[nodiscard]] std::optional<Run> make_checkpoint();
    /// A copy of a checkpoint, to be run; nothing if the kernel has no room for another process.
    [[nodiscard]] std::optional<Run> resume_checkpoint();

    [[nodiscard]] const RunState& state() const { return state_; }
    /// For those who measure.
    [[nodiscard]] ProcessId process() const { return process_.id(); }
    [[nodiscard]] bool ended() const { return state_.end.has_value(); }
    [[nodiscard]] bool can_be_copied() const { return !ended() && !ended_early_ && !state_.cannot_be_copied; }
    StepResult step(ThreadId id, Variant variant);
    /// A hash of the threads' registers and of all memory that can be written; nothing if that is too much.
    [[nodiscard]] std::optional<std::uint64_t> fingerprint() const;
    /// The calls of the program's own functions that a parked thread stands in, the innermost first.
    [[nodiscard]] std::vector<TracePlace> stack(ThreadId id) const;
    /// What the source calls the object; empty if that is not known, or the variable's function has returned.
    [[nodiscard]] std::string label(ObjectId object) const;
    /// The same of memory that the thread is about to access, or has accessed.
    [[nodiscard]] std::string memory_label(RemoteAddress address, ThreadId id) const;
    /// The calls of the program's own functions at a frame's place.
    [[nodiscard]] std::vector<TracePlace> calls_at(RemoteAddress frame) const;
    /// "program+0x1189: add dword ptr [rax], 0x01"
    [[nodiscard]] std::string instruction_text(RemoteAddress address) const;
    [[nodiscard]] std::string instruction_text(ThreadId id) const;
    /// At most eight bytes; nothing if they cannot be read.
    [[nodiscard]] std::optional<std::uint64_t> value_at(RemoteAddress address, std::size_t size) const;
    /// Memory from malloc, where that is known.
    [[nodiscard]] std::optional<TraceAllocation> allocation_of(RemoteAddress address) const;
    /// See Execution.
    [[nodiscard]] bool watched_too_late() const { return watched_too_late_; }
    /// Makes the threads real and stops tracing them. Nothing can be done with this run afterwards.
    [[nodiscard]] ReleasedProgram release();

  private:
    /// What to do after a stop has been looked at.
    enum class Next : std::uint8_t { Resume, ResumeChanged, Park, End };

    Run(Session& session, ChildProcess process, RunState state);

    // run.cpp: running the one kernel thread
    [[nodiscard]] std::optional<Run> copy();
    void run_to_start();
    /// Lets the program go on by itself, one thread as long as it can, while `wanted` says so and somebody
    /// can run.
    void run_by_itself(const std::function<bool()>& wanted);
    StepResult make_step(ThreadId id, Variant variant);
    void carry_out(VirtualThread& thread, StepResult& result);
    /// After a step: what the kernel and the clock have made possible.
    void settle();
    void advance(VirtualThread& thread);
    void activate(VirtualThread& next);
    void exchange_extended_state(VirtualThread& previous, const VirtualThread& next);
    Next on_stop(VirtualThread& thread, const WaitStatus& status, int& deliver);
    Next on_signal(VirtualThread& thread, int signal, int& deliver);
    /// The next stop of the target; interrupts one that does not come.
    WaitStatus wait();

    // run_spins.cpp: threads that do not come back
    Next on_silence(VirtualThread& thread, int& deliver);
    /// Memory that the thread waits for in a loop becomes known as awaited. False if there is none.
    bool see_polled(const VirtualThread& thread, std::span<const PolledMemory> polled);
    Next on_spin_point(VirtualThread& thread, RemoteAddress head, const Breakpoint& breakpoint);
    void leave_spin_point(VirtualThread& thread);
    [[nodiscard]] std::string function_at(RemoteAddress address) const;

    // run.cpp again
    /// Makes the target do a system call that the filter lets pass. The registers are not what they were
    /// afterwards.
    std::int64_t call_in_target(long system_call, std::uint64_t first, std::uint64_t second,
                                std::uint64_t third);
    struct KernelCall {
        long number;
        std::uint64_t first, second, third, fourth, fifth, sixth;
    };
    std::int64_t call_in_target(const KernelCall& wanted);
    void step_over(VirtualThread& thread, RemoteAddress function, const Breakpoint& breakpoint);
    void finish(RunEnd end);
    /// The thread has failed: it is parked, so that others can still run before the process ends.
    Next fail(VirtualThread& thread, RunEnd end, std::uint64_t site);
    Next fail(VirtualThread& thread, FindingKind kind, std::string message, std::uint64_t site);
    Next park(VirtualThread& thread, const Operation& operation, const Parking& parking);

    // run_own_work.cpp: what the runtime libraries do for themselves
    void install_binding_points();
    Next leave_binding(VirtualThread& thread);
    void begin_creation(VirtualThread& thread);
    void end_creation(VirtualThread& thread);
    /// pthread_create has come back without a thread.
    void end_creation_in_vain(VirtualThread& thread);

    // run_watch.cpp: pages that are closed
    /// main has been reached: closes what the plan says.
    void begin_watching();
    /// Instructions beside the known points that may access the same memory become points, too: that one of
    /// them was not executed in a schedule that was watched does not mean much.
    void widen_points();
    void end_watching();
    void protect(const WatchedRegion& pages, bool close);
    void protect(const WatchedRegion& pages, int protection);
    void open_all();
    /// Closes everything but what belongs to the thread that runs.
    void close_for(ThreadId running);
    /// Looks what there is to watch; nothing may be closed.
    void find_watched();
    /// The same at any time.
    void refresh_watched();
    /// Until close_for(). True if something of it was closed.
    bool open_pages(std::uint64_t start, std::uint64_t end);
    /// An instruction touched more than is known of it.
    void see_obscure(const user_regs_struct& registers, std::uint64_t address);
    /// After an instruction: pages that nobody else has touched stay open for the thread, the others close.
    void close_or_give(ThreadId running);
    /// There is no end of accesses: only what is visible is watched from now on.
    void give_up_watching();
    /// The same until the step is over.
    void leave_step_unwatched();
    void return_to_watching();
    /// One thread is left, and nobody has ended whom it has not joined: what it does now is in order with
    /// everything that others have done and will do. `next` is what it does first.
    [[nodiscard]] bool is_alone(OpKind next) const;
    /// Before an operation is carried out. Nothing that a thread does while it is alone is watched, and no
    /// access is an operation.
    void watch_or_leave_alone(OpKind next);
    /// A segmentation fault; nothing if it is not because of us.
    std::optional<Next> on_fault(VirtualThread& thread, int& deliver);
    Next let_through(VirtualThread& thread, const Instruction& instruction, std::uint64_t fault,
                     int& deliver);
    WaitStatus run_instruction(VirtualThread& thread, const Instruction& instruction);
    Next leave_access(VirtualThread& thread);
    /// One step of the thread, whatever it touches.
    WaitStatus step_one(VirtualThread& thread);
    WaitStatus deliver_signal(VirtualThread& thread, int signal);
    /// After a system call was looked at: if the kernel is to do it, it must not meet a closed page.
    Next through_kernel(VirtualThread& thread, Next next);
    Next resume_watching(VirtualThread& thread);

    // run_first_touch.cpp: the first access to each page
    [[nodiscard]] bool touches_first() const;
    Next on_first_touch(VirtualThread& thread, const Instruction& instruction, std::uint64_t fault);
    void touch_pages(const VirtualThread& thread, const Instruction& instruction);
    void touch_page(const VirtualThread& thread, std::uint64_t page, bool write);
    void tell_touch(std::uint64_t page, bool write);
    void open_touched(std::uint64_t page, bool write);
    /// It was open for reading. False if it was not.
    bool open_for_writing(std::uint64_t page);
    /// The step is over.
    void close_touched();

    // run_points.cpp: instructions with breakpoints
    void make_rooms(Breakpoints& breakpoints);
    /// As far as their code is loaded and they are not there yet.
    void install_access_points();
    Next on_access_point(VirtualThread& thread, RemoteAddress address, const Breakpoint& breakpoint);
    /// Carries the instruction out.
    Next pass_access_point(VirtualThread& thread, RemoteAddress address, const Breakpoint& breakpoint);
    Next leave_access_point(VirtualThread& thread);
    /// A thread passes points again and again: it may wait in a loop.
    Next examine_passes(VirtualThread& thread);
    void remove_access_points();

    // run_accesses.cpp: what accesses mean
    /// The operation, if the instruction that the thread stands at touches visible memory.
    [[nodiscard]] std::optional<Operation> visible_access(VirtualThread& thread,
                                                          const Instruction& instruction);
    /// Whether the code that the thread runs touches memory for the program, and not for the runtime
    /// libraries' own purposes.
    [[nodiscard]] bool counts(const VirtualThread& thread, const Instruction& instruction) const;
    [[nodiscard]] bool counts(const VirtualThread& thread, const MemoryTouch& touch) const;
    [[nodiscard]] bool is_scan(RemoteAddress instruction) const;
    /// Of a vector that a runtime library looks through: the part that it was certainly asked about.
    [[nodiscard]] std::vector<MemoryTouch> asked_part(const VirtualThread& thread,
                                                      std::span<const MemoryTouch> touches) const;
    /// What the instruction touches for the program.
    [[nodiscard]] std::vector<MemoryTouch> counted_touches(const VirtualThread& thread,
                                                           const Instruction& instruction) const;
    /// In a static program: a function for memory or texts that the program's own code has called.
    [[nodiscard]] bool is_called_by_program(const VirtualThread& thread) const;
    [[nodiscard]] bool is_atomic(RemoteAddress place, const Instruction& instruction,
                                 const MemoryTouch& touch);
    /// Before and after an instruction that is let through.
    [[nodiscard]] std::vector<Access> begin_accesses(VirtualThread& thread, const Instruction& instruction,
                                                     std::uint64_t fault);
    void end_accesses(VirtualThread& thread, const Instruction& instruction, const user_regs_struct& before,
                      std::vector<Access> accesses);
    void note_escape(const VirtualThread& thread, const MemoryTouch& touch);
    /// An instruction without a breakpoint accesses visible memory.
    void miss_point(const VirtualThread& thread, const Instruction& instruction);
    void note_buffer(const VirtualThread& thread, std::uint64_t address, std::uint64_t size, bool write);
    void note_system_call(const VirtualThread& thread, long call, std::int64_t result);
    void note_fresh(std::uint64_t address, std::uint64_t size);
    void look_for_endless_loop(const VirtualThread& thread, const Access& access);
    /// Whether a thread that is about to look at visible memory has done so before, with nothing changed.
    [[nodiscard]] bool looks_again(VirtualThread& thread, const MemoryTouch& touch) const;
    [[nodiscard]] std::uint64_t hash_of_surroundings(const VirtualThread& thread,
                                                     const MemoryTouch& touch) const;
    [[nodiscard]] std::shared_ptr<const CallStack> call_stack(const VirtualThread& thread) const;

    // run_allocations.cpp: malloc and its relatives
    void install_allocator_hooks();
    Next on_allocator_call(VirtualThread& thread, RemoteAddress function, const Breakpoint& breakpoint);
    Next on_allocator_return(VirtualThread& thread);
    void note_free(const VirtualThread& thread, std::uint64_t address, std::uint64_t site);
    [[nodiscard]] const Allocation* allocation_at(std::uint64_t address) const;

    // run_calls.cpp: functions with breakpoints
    /// Whether a call is part of one that runs natively.
    [[nodiscard]] bool is_made_by(const NativeCall& outer, RemoteAddress function, const Hook& hook,
                                  RemoteAddress stack) const;
    Next on_call(VirtualThread& thread, RemoteAddress function, const Breakpoint& breakpoint);
    Next on_operation(VirtualThread& thread, RemoteAddress function, const Breakpoint& breakpoint);
    /// Locks that the runtime libraries use for themselves are no choice of the search as long as nobody has
    /// to wait: what they protect is not the program's business. Nothing if the operation has to be parked
    /// after all.
    std::optional<Outcome> do_quietly(const VirtualThread& thread, const Operation& operation);
    Next on_send_call(VirtualThread& thread, RemoteAddress function, const Breakpoint& breakpoint);
    Next on_sleep_call(VirtualThread& thread, RemoteAddress function, const Breakpoint& breakpoint);
    Next on_assert_fail(VirtualThread& thread);
    Next on_loader_event(VirtualThread& thread);
    Next enter_native(VirtualThread& thread, RemoteAddress function, const Breakpoint& breakpoint);
    void return_from_call(VirtualThread& thread, std::uint64_t result);
    void complete_call(VirtualThread& thread, const Outcome& outcome);
    void unwind_cancelled(VirtualThread& thread);
    void set_errno(const VirtualThread& thread, int error);
    void refresh_loaded();

    // run_objects.cpp: synchronization objects
    Next on_initialize(VirtualThread& thread, RemoteAddress function, const Breakpoint& breakpoint);
    ObjectId object_at(const VirtualThread& thread, RemoteAddress address, ObjectClass object_class,
                       std::span<const std::byte> bytes);
    ObjectId make_object(VirtualThread& thread, RemoteAddress address, ObjectClass object_class);
    ObjectId stream_lock_at(const VirtualThread& thread, RemoteAddress stream);
    /// Marks the memory of an object that has just been destroyed, so that its next life is noticed.
    void mark_destroyed(RemoteAddress object, ObjectClass object_class);

    // named_semaphores.cpp: sem_open and its relatives
    Next on_name(VirtualThread& thread, RemoteAddress function, const Breakpoint& breakpoint);
    [[nodiscard]] std::int64_t open_semaphore(VirtualThread& thread, const Operation& operation);
    [[nodiscard]] std::int64_t unlink_semaphore(VirtualThread& thread, const Operation& operation);
    /// Before the step of SemClose: says in the operation whether it is the last one.
    void close_semaphore(Operation& operation);

    // run_sites.cpp: where a thread stands
    /// The call in the program's own source that led to the innermost frame; that frame's own place if there
    /// is none.
    [[nodiscard]] std::uint64_t site_of(const StackFrame& innermost) const;
    /// The same for a thread that stands at the first instruction of a function, and for one anywhere else.
    [[nodiscard]] std::uint64_t site_of_caller(const VirtualThread& thread) const;
    [[nodiscard]] std::uint64_t site_of_caller(const VirtualThread& thread,
                                               RemoteAddress return_address) const;
    [[nodiscard]] std::uint64_t site_of_instruction(const VirtualThread& thread) const;

    // run_stacks.cpp: for reports
    [[nodiscard]] std::vector<StackFrame> frames(const VirtualThread& thread) const;
    [[nodiscard]] std::string label_at(RemoteAddress address) const;
    [[nodiscard]] std::string pointed_label(RemoteAddress address, ThreadId id) const;
    [[nodiscard]] const VirtualThread* live_thread(ThreadId id) const;

    // run_system_calls.cpp: calls stopped by the filter
    struct SystemCallRow;
    static const SystemCallRow* find_row(long system_call);
    Next on_system_call(VirtualThread& thread);
    Next answer(VirtualThread& thread, std::int64_t result);
    Next park_at_system_call(VirtualThread& thread, const Operation& operation, VirtualTime deadline = 0);
    Next park_at_system_call(VirtualThread& thread, Operation operation, const Parking& parking);
    Next on_futex(VirtualThread& thread);
    Next on_yield(VirtualThread& thread);
    Next on_exit(VirtualThread& thread);
    Next on_exit_group(VirtualThread& thread);
    Next on_map(VirtualThread& thread);
    Next on_shared_memory(VirtualThread& thread);
    /// Throws Error: the program cannot be checked because of `what`.
    [[noreturn]] void refuse(const VirtualThread& thread, const std::string& what) const;
    Next on_clone(VirtualThread& thread);
    Next on_request(VirtualThread& thread);
    void complete_system_call(VirtualThread& thread, const Operation& operation, const Outcome& outcome);

    // run_streams.cpp: standard input, output and error; random numbers
    [[nodiscard]] std::optional<int> stream_of(std::uint64_t file) const;
    void set_stream(int file, std::optional<int> stream);
    Next on_output(VirtualThread& thread);
    std::uint64_t record_output(const VirtualThread& thread);
    Next on_input(VirtualThread& thread);
    Next on_random(VirtualThread& thread);
    Next give_random(VirtualThread& thread, RemoteAddress to, std::uint64_t count);

    // run_files.cpp: files that let threads wait
    Next on_file_call(VirtualThread& thread);
    Next on_poll(VirtualThread& thread);
    Next park_at_file_call(VirtualThread& thread, const FileCall& call, const std::string& file);
    /// Sets the thread to make its system call again, this time in the kernel.
    void make_system_call(VirtualThread& thread);
    /// Sets the thread to make its system call again; the filter stops it again.
    void repeat_system_call(VirtualThread& thread);
    /// Whether calls that wait can go on may have changed with every step.
    void refresh_parked_calls();
    [[nodiscard]] bool somebody_can_run() const;
    /// Nobody can run: if something from outside is waited for, gives it time.
    void wait_for_outside();
    Next on_channel_made(VirtualThread& thread);
    Next on_close(VirtualThread& thread);
    Next on_close_range(VirtualThread& thread);
    Next on_duplicate(VirtualThread& thread);
    Next on_file_control(VirtualThread& thread);
    Next on_file_lock(VirtualThread& thread);

    // run_file_system.cpp: what it changes there
    [[nodiscard]] std::string absolute_path(int folder, RemoteAddress where) const;
    /// Before something is made, changed or removed at this path.
    void see_change(const std::string& path);
    Next on_open(VirtualThread& thread);
    /// The status of the process as it would be without us; nothing if the path is that of another file.
    [[nodiscard]] std::optional<std::string> status_without_us(const std::string& path) const;
    /// Opens a file with this content for the program, to be read.
    std::int64_t open_content(const std::string& content, std::uint64_t flags);
    Next on_change_of_file(VirtualThread& thread);

    // run_time.cpp: clocks and sleeps
    Next on_clock(VirtualThread& thread);
    Next on_sleep(VirtualThread& thread);
    Next interrupt_sleep(VirtualThread& thread);
    Next on_times(VirtualThread& thread);

    // run_identity.cpp: ids, processors
    Next on_identity(VirtualThread& thread);
    Next on_set_tid_address(VirtualThread& thread);
    Next on_scheduling(VirtualThread& thread);
    Next on_process_control(VirtualThread& thread);

    // run_time_stamps.cpp: the processor's own clock
    /// At the start: it need not be switched off for a program that has no code to read it.
    void allow_time_stamps();
    /// A thread is about to make memory executable. Whether time stamps have to be forbidden first.
    [[nodiscard]] bool see_new_code(const VirtualThread& thread);
    Next forbid_time_stamps(VirtualThread& thread);
    Next on_code(VirtualThread& thread);

    // run_timers.cpp: alarm, setitimer, timer_create, timerfd
    [[nodiscard]] VirtualTimer* find_timer(VirtualTimer::Kind kind, int id);
    VirtualTimer& timer(VirtualTimer::Kind kind, int id);
    [[nodiscard]] itimerspec remaining(const VirtualTimer& timer) const;
    void arm(VirtualTimer& timer, const itimerspec& how, bool absolute) const;
    Next on_alarm(VirtualThread& thread);
    Next on_interval_timer(VirtualThread& thread);
    Next on_timer_create(VirtualThread& thread);
    Next on_timer(VirtualThread& thread);
    [[nodiscard]] VirtualTime next_expiry() const;
    void fire_timers();
    /// Says of each time limit whether it is the first. Returns when that is.
    VirtualTime order_time_limits();
    /// When nobody can run, timers that expire before anybody's time limit do so.
    void let_time_pass();

    // run_signals.cpp
    [[nodiscard]] SignalSet mask_of(const VirtualThread& thread) const;
    /// Gives the kernel what is pending and not in `mask`, for the thread that runs.
    void hand_over_signals(VirtualThread& thread, SignalSet mask);
    void restore_signal_info(VirtualThread& thread, int signal);
    /// A parked thread is to run a signal handler before anything else.
    void interrupt(VirtualThread& thread);
    void send_to_thread(VirtualThread& thread, const PendingSignal& signal);
    void send_to_process(const PendingSignal& signal);
    /// For when a signal comes at a bad moment.
    void keep_signal(VirtualThread& thread, int signal);
    /// False if there is no handler to run any more; then the thread is parked where it was.
    bool start_handler(VirtualThread& thread);
    Next resume_interrupted(VirtualThread& thread);
    Next park_at_signal_call(VirtualThread& thread, const Parking& parking, bool timed);
    [[nodiscard]] SignalSet signals_for(const VirtualThread& thread) const;
    std::int64_t take_awaited_signal(VirtualThread& thread);
    Next on_signal_mask(VirtualThread& thread);
    Next on_signal_action(VirtualThread& thread);
    Next on_signal_return(VirtualThread& thread);
    Next on_pause(VirtualThread& thread);
    Next on_wait_for_signal(VirtualThread& thread);
    Next on_pending_signals(VirtualThread& thread);
    Next on_send_signal(VirtualThread& thread);
    Next on_alternate_stack(VirtualThread& thread);

    // run_threads.cpp: virtual threads
    [[nodiscard]] VirtualThread& thread_of(ThreadId id);
    [[nodiscard]] VirtualThread* thread_with_handle(std::uint64_t handle);
    [[nodiscard]] VirtualThread* thread_with_kernel_id(int kernel_id);
    [[nodiscard]] ParkedThread& parked_entry(ThreadId id);
    /// Makes the child that the clone system call of `parent` asks for. Returns its id in the kernel.
    int give_birth(VirtualThread& parent);
    void end_thread(VirtualThread& thread);
    Next on_fork(ptrace::Event event);
    /// Throws Error if a process that is being made would share objects that threads wait for.
    void refuse_shared_objects() const;
    /// A child is stopped before a system call: if that is output, it becomes ours.
    void record_output_of(ProcessId child);
    void run_to_its_end(ProcessId child, bool shares_memory);

    // run_release.cpp: out of our hands
    /// Where a debugger and the kernel are to find the thread, instead of where it is parked for us.
    void stand_by_itself(VirtualThread& thread);
    /// A thread that waits on a condition waits there really. False if it did not get there.
    bool wait_on_condition(VirtualThread& thread);
    /// Undoes what was done to the surroundings of the program when it was started.
    void restore_surroundings();
    /// Its standard output and error become ours. False if they do not.
    bool give_streams();
    [[nodiscard]] OwnedFile install_listener();
    void write_lock_words(const std::vector<RealThread>& threads);
    /// Of glibc's list of robust mutexes, relative to the thread pointer.
    [[nodiscard]] std::optional<std::uint64_t> robust_list_offset() const;

    Session* session_;
    ChildProcess process_;
    TargetMemory memory_;
    RunState state_;
    /// The thread that a step of ThreadCreate has made, until the step is over.
    std::optional<Outcome> created_;
    std::optional<RunEnd> ended_early_;
    CreatedFiles created_files_;
    /// The first instruction of a function that was stepped over could not be carried out.
    std::optional<int> step_fault_;
    /// Whose instructions the target runs at the moment; invalid between steps.
    ThreadId running_;
    /// Of the step that is being made.
    std::vector<Access> accesses_;
    /// How often the step came to an instruction with the same registers.
    struct Turns {
        user_regs_struct registers{};
        std::uint64_t surroundings = 0;
        unsigned count = 0;
    };
    std::map<std::uint64_t, Turns> turns_;
    bool watched_too_late_ = false;
    std::size_t watch_cost_ = 0;
    bool watch_paused_ = false;
    std::size_t faults_in_step_ = 0;
    /// WatchPlan::first_touch: the pages that were touched in this step, and whether they were written.
    std::map<std::uint64_t, bool> touched_pages_;
    bool step_is_unwatched_ = false;
};

}  // namespace coopcheck::tracer
