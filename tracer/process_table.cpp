#include "tracer/process_table.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace coopcheck::tracer {

namespace {

std::string path_of(ProcessId process, const char* file) {
    return "/proc/" + std::to_string(static_cast<pid_t>(process)) + "/" + file;
}

std::vector<ProcessId> numbers_in(const std::string& folder) {
    std::vector<ProcessId> all;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        pid_t id = 0;
        const auto [rest, failure] = std::from_chars(name.data(), name.data() + name.size(), id);
        if (failure == std::errc{} && rest == name.data() + name.size()) all.push_back(ProcessId{id});
    }
    return all;
}

/// State and process group: the third and the fifth field of /proc/PID/stat. The second is the name in
/// parentheses, which may contain anything.
struct Stat {
    char state = '?';
    pid_t group = 0;
};

Stat stat_of(ProcessId process) {
    std::ifstream file(path_of(process, "stat"));
    std::string line;
    std::getline(file, line);
    Stat stat;
    pid_t parent = 0;
    const std::size_t name_end = line.rfind(')');
    if (name_end == std::string::npos) return stat;
    std::istringstream(line.substr(name_end + 1)) >> stat.state >> parent >> stat.group;
    return stat;
}

}  // namespace

std::vector<ProcessId> threads_of(ProcessId process) { return numbers_in(path_of(process, "task")); }

std::vector<ProcessId> processes_in_group(ProcessId group) {
    std::vector<ProcessId> all;
    for (const ProcessId process : numbers_in("/proc")) {
        if (stat_of(process).group == static_cast<pid_t>(group)) all.push_back(process);
    }
    return all;
}

bool is_zombie(ProcessId thread) { return stat_of(thread).state == 'Z'; }

bool is_uninterruptible(ProcessId thread) { return stat_of(thread).state == 'D'; }

bool waits_on_futex_for_ever(ProcessId thread) {
    // "202 0xaddress 0xoperation 0xvalue 0xtimeout ...", or "running".
    std::ifstream file(path_of(thread, "syscall"));
    long system_call = -1;
    std::uint64_t address = 0;
    std::uint64_t operation = 0;
    std::uint64_t value = 0;
    std::uint64_t timeout = 0;
    file >> system_call >> std::hex >> address >> operation >> value >> timeout;
    if (!file || system_call != SYS_futex || timeout != 0) return false;
    const std::uint64_t command = operation & static_cast<std::uint64_t>(FUTEX_CMD_MASK);
    return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI ||
           command == FUTEX_LOCK_PI2;
}

}  // namespace coopcheck::tracer
