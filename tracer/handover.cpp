#include "tracer/handover.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>

#include "core/error.hpp"
#include "tracer/call_listener.hpp"
#include "tracer/result.hpp"
#include "tracer/traced_execution.hpp"

namespace coopcheck::tracer {

namespace {

/// What a child says when exec fails, as shells do.
constexpr int cannot_be_run = 127;

/// A Ctrl-C at the terminal is for the debugger, which is in our group, not for us.
class IgnoredInterrupts {
  public:
    IgnoredInterrupts() {
        struct sigaction ignore {};
        ignore.sa_handler = SIG_IGN;
        for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals.at(i), &ignore, &before_.at(i));
    }
    ~IgnoredInterrupts() {
        for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals.at(i), &before_.at(i), nullptr);
    }
    IgnoredInterrupts(const IgnoredInterrupts&) = delete;
    IgnoredInterrupts& operator=(const IgnoredInterrupts&) = delete;

  private:
    static constexpr std::array signals{SIGINT, SIGQUIT};
    std::array<struct sigaction, signals.size()> before_{};
};

}  // namespace

std::optional<std::string> find_debugger() {
    const char* folders = std::getenv("PATH");
    std::istringstream list(folders != nullptr ? folders : "");
    for (std::string folder; std::getline(list, folder, ':');) {
        std::string path = (folder.empty() ? "." : folder) + "/gdb";
        if (::access(path.c_str(), X_OK) == 0) return path;
    }
    return std::nullopt;
}

Handover::Handover(TracedExecution& execution) : program_(execution.release()) {}

Handover::~Handover() { end_program(); }

WaitStatus Handover::end_program() {
    if (program_.process.ended()) return program_.process.kill_and_reap();
    const auto process = static_cast<pid_t>(program_.process.id());
    // What the program has started is in its group, unless it has made one of its own.
    if (const pid_t group = ::getpgid(process); group > 0 && group != ::getpgrp()) ::kill(-group, SIGKILL);
    return program_.process.kill_and_reap();
}

std::vector<std::string> Handover::command_line(const DebuggerOptions& options) const {
    std::vector<std::string> words{options.debugger, "-q", options.program, "-p",
                                   std::to_string(static_cast<pid_t>(program_.process.id())),
                                   // Attaching sends a SIGSTOP to threads that stand already, which would be
                                   // reported when they go on. The pipe hides what gdb has to say about it.
                                   "-iex", "pipe handle SIGSTOP nostop noprint nopass | :"};
    // gdb counts the threads of a process that it attaches to in the kernel's order.
    const auto shown = std::find_if(program_.threads.begin(), program_.threads.end(),
                                    [&](const RealThread& thread) { return thread.id == options.thread; });
    if (shown != program_.threads.end()) {
        words.emplace_back("-ex");
        words.push_back("thread " + std::to_string(shown - program_.threads.begin() + 1));
    }
    words.insert(words.end(), options.arguments.begin(), options.arguments.end());
    return words;
}

void Handover::run_debugger(const DebuggerOptions& options) {
    std::vector<std::string> words = command_line(options);
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    // The kernel kills it when we end (see ChildProcess).
    ChildProcess debugger([&] {
        static_cast<void>(::sched_setaffinity(0, sizeof program_.cpus, &program_.cpus));
        for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGPIPE}) std::signal(signal, SIG_DFL);
        ::execv(pointers.front(), pointers.data());
        return cannot_be_run;
    });
    const IgnoredInterrupts ignored;
    answer_calls_until_end_of(debugger.id());
    if (debugger.wait() == WaitStatus(Exited{cannot_be_run})) {
        throw Error("Cannot run the debugger '" + options.debugger + "'.");
    }
}

void Handover::answer_calls_until_end_of(ProcessId debugger) {
    const OwnedFile end(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(debugger), 0)));
    if (!end.valid()) throw Error("Cannot watch the debugger: " + last_error().message() + ".");
    CallListener listener(std::move(program_.listener));
    std::array<pollfd, 2> files{pollfd{.fd = end.descriptor(), .events = POLLIN, .revents = 0},
                                pollfd{.fd = listener.descriptor(), .events = POLLIN, .revents = 0}};
    for (;;) {
        if (::poll(files.data(), files.size(), -1) == -1) {
            if (errno == EINTR) continue;
            throw Error("Cannot wait for the debugger: " + last_error().message() + ".");
        }
        if ((files[0].revents & POLLIN) != 0) return;
        if ((files[1].revents & POLLIN) != 0) {
            listener.answer();
        } else if (files[1].revents != 0) {
            files[1].fd = -1;  // the program has ended before the debugger
        }
    }
}

}  // namespace coopcheck::tracer
