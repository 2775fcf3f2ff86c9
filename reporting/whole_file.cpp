#include "reporting/whole_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "core/error.hpp"
#include "reporting/bytes_as_text.hpp"

namespace coopcheck {

namespace {

namespace fs = std::filesystem;

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

[[noreturn]] void cannot_write(const std::string& path, const FileWords& words) {
    throw Error("Cannot write " + words.what + " " + printable(path) + ": " +
                std::generic_category().message(errno) + "; " + words.remedy + ".");
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

void write_whole_file(const std::string& text, const std::string& path, const FileWords& words) {
    const fs::path place(path);
    const fs::path folder = place.has_parent_path() ? place.parent_path() : fs::path(".");
    std::error_code error;
    fs::create_directories(folder, error);  // if that fails, opening it says why
    const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Two that write here at the same time take turns with the name below; a lock ends with its owner.
    if (!directory.valid() || ::flock(directory.number(), LOCK_EX) == -1) {
        cannot_write(path, words);
    }
    // linkat() cannot replace a file and rename() needs a name, so the complete file has one of its own for
    // an instant; should we be killed in it, the next to write the same file takes the name over.
    const std::string last = place.filename().string();
    const std::string temporary = "." + last + ".new";
    if (::unlinkat(directory.number(), temporary.c_str(), 0) == -1 && errno != ENOENT) {
        cannot_write(path, words);
    }
    const int unnamed = ::openat(directory.number(), ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    const bool has_name = unnamed == -1;  // not every file system has files without a name
    const Descriptor file(has_name ? ::openat(directory.number(), temporary.c_str(),
                                              O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666)
                                   : unnamed);
    if (!file.valid()) {
        cannot_write(path, words);
    }
    bool done = write_all(file.number(), text);
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
        cannot_write(path, words);
    }
}

}  // namespace coopcheck
