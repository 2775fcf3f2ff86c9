#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/trace.hpp"
#include "tracer/modules.hpp"
#include "tracer/target_types.hpp"

namespace coopcheck::tracer {

struct DebugFile;

/// Function, file and line of an address in the target, from its debug information. Slow, so what was found
/// is kept.
class SourceLines {
  public:
    SourceLines();
    ~SourceLines();
    SourceLines(const SourceLines&) = delete;
    SourceLines& operator=(const SourceLines&) = delete;

    /// `return_address` is the place after a call: the call itself is described. "function file:line", or as
    /// much of it as is known.
    [[nodiscard]] std::string describe(RemoteAddress return_address, const Modules& modules);

    /// Whether the call is made by the program's own source: not by the C or C++ library, and not by a
    /// function of one of their headers, unless that was inlined into the program's own. What was found is
    /// kept.
    [[nodiscard]] bool is_programs_own(RemoteAddress return_address, const Modules& modules);

    /// The calls of the program's own functions at that place: the function itself and those it was inlined
    /// into, the innermost first. Of a place without debug information, what describe() says.
    [[nodiscard]] std::vector<TracePlace> calls(RemoteAddress return_address, const Modules& modules);

    /// Whether the place is in a library without debug information: nothing tells whether its source says
    /// atomic.
    [[nodiscard]] bool is_unknown_library(RemoteAddress return_address, const Modules& modules);

    [[nodiscard]] DebugFile& debug_file(const Module& module);
    /// Whether the instruction was written in one of the headers of std::atomic. What was found is kept.
    [[nodiscard]] bool is_atomic_code(RemoteAddress instruction, const Modules& modules);

  private:
    struct File;
    File& file_of(const Module& module);
    [[nodiscard]] std::vector<TracePlace> find_calls(RemoteAddress return_address, const Module& module,
                                                     const Modules& modules);
    [[nodiscard]] std::string find_description(const Module& module, std::uint64_t inside);
    [[nodiscard]] bool find_out_whose(const Module& module, std::uint64_t inside, bool is_static);
    std::map<std::string, std::unique_ptr<File>> files_;
};

}  // namespace coopcheck::tracer
