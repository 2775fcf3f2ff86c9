#include "tests/cmd/captured_run.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>

#include "core/check.hpp"
#include "tracer/child_process.hpp"

namespace coopcheck::testing {

namespace {

/// A file without a name that takes the output of a process.
class CaptureFile {
  public:
    CaptureFile() : descriptor_(::memfd_create("capture", MFD_CLOEXEC)) {
        COOPCHECK_CHECK(descriptor_ != -1, "cannot make a file in memory");
    }
    ~CaptureFile() { ::close(descriptor_); }
    CaptureFile(const CaptureFile&) = delete;
    CaptureFile& operator=(const CaptureFile&) = delete;

    [[nodiscard]] int descriptor() const { return descriptor_; }

    [[nodiscard]] std::string text() const {
        std::string text;
        std::array<char, 4096> buffer{};
        for (ssize_t got = 0; (got = ::pread(descriptor_, buffer.data(), buffer.size(), ssize(text))) > 0;) {
            text.append(buffer.data(), static_cast<std::size_t>(got));
        }
        return text;
    }

  private:
    int descriptor_;
};

/// Interruptions that come meanwhile come afterwards.
class SignalsHeld {
  public:
    SignalsHeld() {
        sigset_t held{};
        ::sigemptyset(&held);
        for (const int signal : {SIGINT, SIGTERM}) ::sigaddset(&held, signal);
        ::pthread_sigmask(SIG_BLOCK, &held, &before_);
    }
    void release() const { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_{};
};

}  // namespace

std::string corpus(const std::string& name) { return std::string(COOPCHECK_CORPUS_FOLDER) + "/" + name; }

CapturedRun run_coopcheck(const std::vector<std::string>& arguments,
                          const std::function<void()>& before_start,
                          const std::function<void(tracer::ProcessId)>& meanwhile) {
    std::vector<std::string> words{COOPCHECK_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);

    const CaptureFile out;
    const CaptureFile err;
    // doctest's own handlers must not speak for a child that is not coopcheck yet.
    const SignalsHeld held;
    tracer::ChildProcess child([&] {
        ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
        ::dup2(out.descriptor(), STDOUT_FILENO);
        ::dup2(err.descriptor(), STDERR_FILENO);
        ::unsetenv("COOPCHECK_LOG");
        for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
        held.release();
        before_start();
        ::execv(pointers.front(), pointers.data());
        return 127;
    });
    held.release();
    meanwhile(child.id());
    const tracer::WaitStatus end = child.wait();
    return {end, out.text(), err.text()};
}

}  // namespace coopcheck::testing
