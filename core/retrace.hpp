#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/execution.hpp"
#include "core/race.hpp"
#include "core/trace.hpp"

namespace coopcheck {

/// What an Execution alone cannot say about its program. Each may be left out.
struct TraceWords {
    /// "function file:line" of Operation::site.
    std::function<std::string(std::uint64_t)> source = {};
    /// A name for memory, equal in all runs. Without it memory is named by its address.
    std::function<std::string(Location)> location = {};
    /// The object belongs to the C or C++ runtime library.
    std::function<bool(ObjectId)> is_runtime = {};
    /// What the source calls the object, as long as the variable lives; empty if not known.
    std::function<std::string(ObjectId)> label = {};
    /// The calls of the program's own functions in which a parked thread stands, the innermost first.
    std::function<std::vector<TracePlace>(ThreadId)> stack = {};
    /// The same of one frame of a CallStack; nothing for a function that is not the program's own.
    std::function<std::vector<TracePlace>(std::uint64_t)> calls_at = {};
    /// What the source calls memory, as seen by a thread that accesses it; empty if not known.
    std::function<std::string(Location, ThreadId)> memory_label = {};
    /// The instruction before which a parked thread stands, and the one at an address.
    std::function<std::string(ThreadId)> instruction = {};
    std::function<std::string(std::uint64_t)> instruction_at = {};
    /// Bytes of memory, as a number.
    std::function<std::optional<std::uint64_t>(Location, std::uint32_t)> value = {};
    /// Where memory of the heap was allocated.
    std::function<std::optional<TraceAllocation>(Location)> allocation = {};
};

/// Translates what an Execution says into the words of traces.
class TraceWriter {
  public:
    TraceWriter(const Execution& execution, const TraceWords& words) : execution_(execution), words_(words) {}

    [[nodiscard]] TraceOperation operation(const Operation& operation) const;
    [[nodiscard]] std::string source(std::uint64_t site) const;
    [[nodiscard]] std::string location(Location location) const;
    [[nodiscard]] TraceWait wait(const Wait& wait) const;
    [[nodiscard]] TraceFinding finding(const Finding& finding) const;
    /// Without stack and instruction.
    [[nodiscard]] TraceAccess access(const RaceSide& side) const;
    /// Before the step is made: whom it wakes is no longer to be seen afterwards.
    [[nodiscard]] TraceVariant variant(const ParkedThread& parked, Variant variant) const;
    [[nodiscard]] const std::string& name(ThreadId thread) const {
        return execution_.names().threads.name(thread);
    }

  private:
    const Execution& execution_;
    const TraceWords& words_;
};

/// Counts how often each thread has done each operation.
class Occurrences {
  public:
    [[nodiscard]] std::size_t of(const std::string& thread, const TraceOperation& operation) const;
    void add(const std::string& thread, const TraceOperation& operation);

  private:
    std::map<std::tuple<std::string, OpKind, std::string, std::string, std::string, std::string>, std::size_t>
        counts_;
};

/// Collects for a trace what its steps refer to.
class TraceTables {
  public:
    TraceTables(const Execution& execution, const TraceWords& words, Trace& trace)
        : execution_(execution), words_(words), trace_(trace) {}

    /// The number of the thread's stack, for TraceStep::stack.
    [[nodiscard]] std::size_t stack(ThreadId thread);
    [[nodiscard]] std::size_t stack(const CallStack& frames);
    /// The objects, or the memory, of an operation that the thread is about to make.
    void name_objects(ThreadId thread, const Operation& operation);
    void name_memory(ThreadId thread, Location location);

  private:
    void name_object(ObjectId object);
    void add_label(const std::string& name, std::string label);
    [[nodiscard]] std::size_t add_stack(std::vector<TracePlace> places);

    const Execution& execution_;
    const TraceWords& words_;
    Trace& trace_;
    std::map<std::vector<std::string>, std::size_t> stacks_;
    std::set<std::string> places_;
    std::set<std::string> labels_;
    std::set<ObjectId> asked_;
    std::set<Location> asked_memory_;
};

/// Makes steps and says what they were.
class RecordedSteps {
  public:
    /// With tables, stacks, locks and who is blocked are recorded too.
    RecordedSteps(Execution& execution, const TraceWords& words, TraceTables* tables = nullptr)
        : execution_(execution), writer_(execution, words), tables_(tables) {}

    struct Made {
        TraceStep step;
        StepResult result;
    };
    Made make(Choice choice);
    [[nodiscard]] const TraceWriter& writer() const { return writer_; }
    [[nodiscard]] const Occurrences& occurrences() const { return occurrences_; }

  private:
    void note_blocked(ThreadId thread, TraceStep& step);
    [[nodiscard]] std::vector<std::string> names_of_difference(const std::vector<ObjectId>& some,
                                                               const std::vector<ObjectId>& without) const;

    Execution& execution_;
    TraceWriter writer_;
    TraceTables* tables_;
    Turns turns_;
    Occurrences occurrences_;
    std::set<ThreadId> blocked_;
};

/// A schedule that passes, to be recorded beside the failing one.
struct PassingSchedule {
    /// The place of the decision in the finding's schedule, and in this one.
    std::size_t step = 0;
    const Schedule& schedule;
};

/// Runs the finding's schedule again and writes down what happens: finding, options, preemptions, steps and
/// tables of the Trace, counted anew. The execution stands at the end of the schedule afterwards. An Error if
/// the program does not take the schedule a second time.
[[nodiscard]] Trace retrace(Execution& execution, const Finding& finding, const TraceWords& words,
                            const std::optional<PassingSchedule>& passing = std::nullopt);

}  // namespace coopcheck
