#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/execution.hpp"
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

/// Makes steps and says what they were.
class RecordedSteps {
  public:
    RecordedSteps(Execution& execution, const TraceWords& words)
        : execution_(execution), writer_(execution, words) {}

    struct Made {
        TraceStep step;
        StepResult result;
    };
    Made make(Choice choice);
    [[nodiscard]] const TraceWriter& writer() const { return writer_; }
    [[nodiscard]] const Occurrences& occurrences() const { return occurrences_; }

  private:
    Execution& execution_;
    TraceWriter writer_;
    Turns turns_;
    Occurrences occurrences_;
};

/// Runs the finding's schedule again and writes down what happens: finding, options, preemptions and steps of
/// the Trace, counted anew. The execution stands at the end of the schedule afterwards. An Error if the
/// program does not take the schedule a second time.
[[nodiscard]] Trace retrace(Execution& execution, const Finding& finding, const TraceWords& words);

}  // namespace coopcheck
