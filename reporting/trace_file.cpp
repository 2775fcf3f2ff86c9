#include "reporting/trace_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "core/error.hpp"
#include "reporting/bytes_as_text.hpp"

namespace coopcheck {

namespace {

namespace fs = std::filesystem;

/// A trace of a hundred thousand steps has about 16 MB.
constexpr std::size_t largest_file = std::size_t{64} << 20;

class Descriptor {
  public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ != -1) {
            ::close(number_);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int number() const { return number_; }
    [[nodiscard]] bool valid() const { return number_ != -1; }

  private:
    int number_;
};

[[noreturn]] void cannot_write(const std::string& path) {
    throw Error("Cannot write the trace " + printable(path) + ": " + std::generic_category().message(errno) +
                "; choose another folder with --out.");
}

bool write_all(int file, const std::string& text) {
    for (std::size_t written = 0; written < text.size();) {
        const ssize_t count = ::write(file, text.data() + written, text.size() - written);
        if (count == -1 && errno == EINTR) {
            continue;
        }
        if (count == -1) {
            return false;
        }
        written += static_cast<std::size_t>(count);
    }
    return true;
}

}  // namespace

Trace read_trace(const std::string& path) {
    const std::string name = printable(path);
    std::error_code error;
    if (fs::is_directory(path, error)) {
        throw Error(name + " is a folder; name the trace file in it.");
    }
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw Error("Cannot read the trace " + name + ": " + std::generic_category().message(errno) +
                    "; traces are written by coopcheck explore.");
    }
    std::string text;
    std::array<char, 65536> chunk{};
    while (file.read(chunk.data(), chunk.size()), file.gcount() > 0) {
        text.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
        if (text.size() > largest_file) {
            throw Error(name + ": is larger than any trace; name a trace written by coopcheck explore.");
        }
    }
    if (file.bad()) {
        throw Error("Cannot read the trace " + name + " to its end; check the disk.");
    }
    return trace_from_json(text, name);
}

void write_trace(const Trace& trace, const std::string& path) {
    const fs::path place(path);
    const fs::path folder = place.has_parent_path() ? place.parent_path() : fs::path(".");
    std::error_code error;
    fs::create_directories(folder, error);  // if that fails, opening it says why
    const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Two that write here at the same time take turns with the name below; a lock ends with its owner.
    if (!directory.valid() || ::flock(directory.number(), LOCK_EX) == -1) {
        cannot_write(path);
    }
    // linkat() cannot replace a file and rename() needs a name, so the complete file has one of its own for
    // an instant; should we be killed in it, the next to write the same trace takes the name over.
    const std::string last = place.filename().string();
    const std::string temporary = "." + last + ".new";
    if (::unlinkat(directory.number(), temporary.c_str(), 0) == -1 && errno != ENOENT) {
        cannot_write(path);
    }
    const int unnamed = ::openat(directory.number(), ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    const bool has_name = unnamed == -1;  // not every file system has files without a name
    const Descriptor file(has_name ? ::openat(directory.number(), temporary.c_str(),
                                              O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666)
                                   : unnamed);
    if (!file.valid()) {
        cannot_write(path);
    }
    bool done = write_all(file.number(), to_json(trace));
    if (done && !has_name) {
        const std::string self = "/proc/self/fd/" + std::to_string(file.number());
        done =
            ::linkat(AT_FDCWD, self.c_str(), directory.number(), temporary.c_str(), AT_SYMLINK_FOLLOW) == 0;
    }
    done = done && ::renameat(directory.number(), temporary.c_str(), directory.number(), last.c_str()) == 0;
    if (!done) {
        const int reason = errno;
        ::unlinkat(directory.number(), temporary.c_str(), 0);
        errno = reason;
        cannot_write(path);
    }
}

}  // namespace coopcheck
