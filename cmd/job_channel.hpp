#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tracer/file_descriptor.hpp"

namespace coopcheck::cmd {

/// What the processes of one search say to each other.
struct JobMessage {
    enum class Kind : std::uint8_t { Begin, Gave, Told, Ended };
    Kind kind = Kind::Begin;
    std::vector<std::string> texts;
};

/// One end of a connection between two processes of ours. Nobody writes to one who may be writing himself: a
/// worker is written to only when it has nothing to do.
class JobChannel {
  public:
    explicit JobChannel(tracer::FileDescriptor socket) : socket_(std::move(socket)) {}

    /// False if the other one is gone.
    [[nodiscard]] bool send(const JobMessage& message) const;
    /// Waits for all of a message. Nothing if the other one is gone.
    [[nodiscard]] std::optional<JobMessage> receive() const;

    [[nodiscard]] int number() const { return socket_.number(); }
    void close() { socket_.reset(); }

  private:
    tracer::FileDescriptor socket_;
};

/// Both ends. Not inherited by programs.
[[nodiscard]] std::pair<JobChannel, JobChannel> make_job_channel();

}  // namespace coopcheck::cmd
