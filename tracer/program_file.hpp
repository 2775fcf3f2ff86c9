#pragma once

#include <string>

namespace coopcheck::tracer {

/// An executable file that coopcheck can run: exists, may be executed, is a 64-bit x86 ELF program.
class ProgramFile {
  public:
    /// A name without a slash is looked up in PATH. Throws Error when this is no program for us.
    explicit ProgramFile(const std::string& name);

    /// Absolute.
    [[nodiscard]] const std::string& path() const { return path_; }
    /// The dynamic linker it asks for; empty for a static program.
    [[nodiscard]] const std::string& interpreter() const { return interpreter_; }

  private:
    std::string path_;
    std::string interpreter_;
};

}  // namespace coopcheck::tracer
