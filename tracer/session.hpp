#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/names.hpp"
#include "core/sync_model.hpp"
#include "tracer/cpu_pin.hpp"
#include "tracer/instruction.hpp"
#include "tracer/launch.hpp"
#include "tracer/source_lines.hpp"
#include "tracer/symbol_file.hpp"
#include "tracer/time_stamp_reads.hpp"
#include "tracer/unwinder.hpp"
#include "tracer/variable_names.hpp"
#include "tracer/watch_knowledge.hpp"
#include "tracer/watchdog.hpp"

namespace coopcheck::tracer {

/// What all runs of one search have in common.
class Session {
  public:
    Session(const LaunchOptions& launch_options, const ModelOptions& model,
            std::chrono::milliseconds silence_limit)
        : watchdog(silence_limit),
          launcher(launch_options),
          model_options(model),
          input_(launch_options.input) {}

    /// All of standard input: read when a run first asks for it, the same for every run.
    [[nodiscard]] const std::string& input();
    /// Nothing as long as no run has asked for it.
    [[nodiscard]] const std::optional<std::string>& input_read() const { return input_read_; }

    /// Objects of the C and C++ runtime libraries.
    [[nodiscard]] bool is_internal(ObjectId object) const {
        return object.index() < internal_.size() && internal_[object.index()];
    }
    /// Locks of stdio: the model's, and what is in the memory of a stream is libc's own business.
    [[nodiscard]] bool is_stream_lock(ObjectId object) const { return stream_locks_.contains(object); }
    void set_stream_lock(ObjectId object) { stream_locks_.insert(object); }
    void set_internal(ObjectId object) {
        if (internal_.size() <= object.index()) internal_.resize(object.index() + 1);
        internal_[object.index()] = true;
    }

    Watchdog watchdog;
    CpuPin pin;
    Launcher launcher;
    ModelOptions model_options;
    Names names;
    SymbolFiles files;
    /// Heads of loops that wait for memory to change: arriving there is an offer to yield.
    std::set<RemoteAddress> spin_points;
    SourceLines source_lines;
    VariableNames variable_names{source_lines};
    Instructions instructions;
    WatchKnowledge watch;
    Unwinder unwinder;
    TimeStampReads time_stamp_reads;
    /// Room for what the kernel says of vector registers, whatever the processor has.
    std::array<std::byte, 16384> extended_area{};
    /// The user has been told that forked children are not explored.
    bool told_about_fork = false;
    /// ... that it changes files which later schedules will find changed.
    bool told_about_files = false;

  private:
    /// What it is to be; none: ours.
    std::optional<std::string> input_;
    std::optional<std::string> input_read_;
    std::vector<bool> internal_;
    std::set<ObjectId> stream_locks_;
};

}  // namespace coopcheck::tracer
