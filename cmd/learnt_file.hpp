#pragma once

#include <string>
#include <vector>

#include "core/location.hpp"
#include "core/trace.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::cmd {

/// What a search has learnt of a program, kept in the output folder for the next one: which memory has to be
/// visible. By build id; a program without one is learnt anew each time. More visible memory than needed
/// costs time and hides nothing, so that believing an old file could not make a claim wrong; all the same a
/// file that is damaged, or about another program or other arguments, is not used, and a line on stderr says
/// so.
class LearntFile {
  public:
    /// `program` as describe_program() has it.
    LearntFile(const std::string& folder, const TraceProgram& program);

    /// Empty if there is no file, or none that can be believed.
    [[nodiscard]] std::vector<Location> load(tracer::TracedExecution& execution) const;
    /// What cannot be written is not kept: nothing depends on it.
    void save(tracer::TracedExecution& execution, const std::vector<Location>& visible) const;

    /// Empty for a program without a build id.
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
    std::string build_id_;
    std::vector<std::string> arguments_;
};

}  // namespace coopcheck::cmd
