#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <thread>

#include "tracer/file_descriptor.hpp"

namespace coopcheck::tracer {

/// Standard input, output and error of one free run: the same input every time, and a thread that collects
/// what the program writes, so that it never waits for us.
///
/// Call order: child_files() for the child; close_child_files() once it exists; collect() when every process
/// that could write has ended.
class StandardStreams {
  public:
    /// What is kept of each stream. More than that is read and forgotten.
    static constexpr std::size_t most_kept = std::size_t{64} << 20U;

    explicit StandardStreams(const std::string& input);
    ~StandardStreams();
    StandardStreams(const StandardStreams&) = delete;
    StandardStreams& operator=(const StandardStreams&) = delete;

    [[nodiscard]] std::array<int, 3> child_files() const;
    void close_child_files();

    struct Output {
        std::string standard_output;
        std::string standard_error;
        /// More was written than is kept.
        bool cut = false;
    };
    [[nodiscard]] Output collect();

  private:
    void read_until_told();

    FileDescriptor input_;
    std::array<FileDescriptor, 2> ours_;
    std::array<FileDescriptor, 2> theirs_;
    /// Readable when the thread is to end.
    FileDescriptor stop_;
    /// The thread's alone while it runs.
    Output output_;
    std::thread reader_;
};

}  // namespace coopcheck::tracer
