#include "cmd/job_channel.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include "core/error.hpp"
#include "tracer/result.hpp"

namespace coopcheck::cmd {

namespace {

bool send_all(int socket, const void* data, std::size_t size) {
    const char* rest = static_cast<const char*>(data);
    while (size > 0) {
        // No SIGPIPE: that the other one is gone is what we want to know.
        const ssize_t sent = ::send(socket, rest, size, MSG_NOSIGNAL);
        if (sent == -1 && errno == EINTR) continue;
        if (sent <= 0) return false;
        rest += sent;
        size -= static_cast<std::size_t>(sent);
    }
    return true;
}

bool receive_all(int socket, void* data, std::size_t size) {
    char* rest = static_cast<char*>(data);
    while (size > 0) {
        const ssize_t received = ::recv(socket, rest, size, 0);
        if (received == -1 && errno == EINTR) continue;
        if (received <= 0) return false;
        rest += received;
        size -= static_cast<std::size_t>(received);
    }
    return true;
}

struct Header {
    JobMessage::Kind kind = JobMessage::Kind::Begin;
    std::uint64_t texts = 0;
};

}  // namespace

bool JobChannel::send(const JobMessage& message) const {
    const Header header{message.kind, message.texts.size()};
    if (!send_all(number(), &header, sizeof header)) return false;
    for (const std::string& text : message.texts) {
        const std::uint64_t size = text.size();
        if (!send_all(number(), &size, sizeof size) || !send_all(number(), text.data(), size)) return false;
    }
    return true;
}

std::optional<JobMessage> JobChannel::receive() const {
    Header header;
    if (!receive_all(number(), &header, sizeof header)) return std::nullopt;
    JobMessage message{header.kind, {}};
    for (std::uint64_t nth = 0; nth < header.texts; ++nth) {
        std::uint64_t size = 0;
        if (!receive_all(number(), &size, sizeof size)) return std::nullopt;
        std::string text(size, '\0');
        if (!receive_all(number(), text.data(), size)) return std::nullopt;
        message.texts.push_back(std::move(text));
    }
    return message;
}

std::pair<JobChannel, JobChannel> make_job_channel() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        throw Error("Cannot connect the jobs: " + tracer::last_error().message() + ".");
    }
    return {JobChannel(tracer::FileDescriptor(ends[0])), JobChannel(tracer::FileDescriptor(ends[1]))};
}

}  // namespace coopcheck::cmd
