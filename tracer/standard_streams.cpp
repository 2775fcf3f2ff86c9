#include "tracer/standard_streams.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/error.hpp"
#include "tracer/result.hpp"

namespace coopcheck::tracer {

namespace {

int must(int result) {
    if (result == -1)
        throw Error("Cannot open a file for the program's input and output: " + last_error().message() +
                    "; raise the limits on open files and memory (ulimit -a shows them).");
    return result;
}

/// A file in memory that stands at its start.
FileDescriptor file_with(const std::string& content) {
    FileDescriptor file(must(::memfd_create("input", MFD_CLOEXEC)));
    std::size_t written = 0;
    while (written < content.size()) {
        const ssize_t count = ::write(file.number(), content.data() + written, content.size() - written);
        if (count == -1 && errno == EINTR) continue;
        written += static_cast<std::size_t>(must(static_cast<int>(std::min<ssize_t>(count, 1 << 30))));
    }
    must(static_cast<int>(std::min<off_t>(::lseek(file.number(), 0, SEEK_SET), 0)));
    return file;
}

/// Takes what is there. False at the end of the stream; `empty` if there is nothing more for now.
bool take(int file, std::string& text, bool& cut, bool& empty) {
    static thread_local std::vector<char> chunk(65536);
    const ssize_t count = ::read(file, chunk.data(), chunk.size());
    empty = count == -1;
    if (count == -1) return errno == EAGAIN || errno == EINTR;
    const std::size_t room = StandardStreams::most_kept - text.size();
    cut = cut || static_cast<std::size_t>(count) > room;
    text.append(chunk.data(), std::min(room, static_cast<std::size_t>(count)));
    return count != 0;
}

}  // namespace

StandardStreams::StandardStreams(const std::string& input)
    : input_(file_with(input)), stop_(must(::eventfd(0, EFD_CLOEXEC))) {
    for (std::size_t stream = 0; stream < ours_.size(); ++stream) {
        std::array<int, 2> ends{};
        must(::pipe2(ends.data(), O_CLOEXEC));
        ours_[stream] = FileDescriptor(ends[0]);
        theirs_[stream] = FileDescriptor(ends[1]);
        must(::fcntl(ends[0], F_SETFL, O_NONBLOCK));
    }
    reader_ = std::thread([this] { read_until_told(); });
}

StandardStreams::~StandardStreams() { static_cast<void>(collect()); }

std::array<int, 3> StandardStreams::child_files() const {
    return {input_.number(), theirs_[0].number(), theirs_[1].number()};
}

void StandardStreams::close_child_files() {
    for (FileDescriptor& file : theirs_) file.reset();
}

void StandardStreams::read_until_told() {
    std::array<pollfd, 3> files{pollfd{ours_[0].number(), POLLIN, 0}, pollfd{ours_[1].number(), POLLIN, 0},
                                pollfd{stop_.number(), POLLIN, 0}};
    std::array<std::string*, 2> texts{&output_.standard_output, &output_.standard_error};
    bool empty = false;
    for (;;) {
        // Fails with EINTR alone; then it is asked again.
        if (::poll(files.data(), files.size(), -1) == -1) continue;
        const bool told = files[2].revents != 0;
        for (std::size_t stream = 0; stream < texts.size(); ++stream) {
            pollfd& file = files[stream];
            if (file.fd == -1 || file.revents == 0) continue;
            // poll leaves an entry without a file alone.
            if (!take(file.fd, *texts[stream], output_.cut, empty)) file.fd = -1;
        }
        const auto has_more = [](const pollfd& file) { return file.fd != -1 && file.revents != 0; };
        if (told && !has_more(files[0]) && !has_more(files[1])) return;
    }
}

StandardStreams::Output StandardStreams::collect() {
    if (reader_.joinable()) {
        close_child_files();
        constexpr std::uint64_t one = 1;
        static_cast<void>(::write(stop_.number(), &one, sizeof one));
        reader_.join();
    }
    return output_;
}

}  // namespace coopcheck::tracer
