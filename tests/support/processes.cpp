#include "tests/support/processes.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace coopcheck::testing {

namespace {

bool exists_with(const std::string& mark) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        std::ifstream file(entry.path() / "cmdline");
        // A process that ends while its file is read is a read error (ESRCH), which an iterator would throw.
        std::ostringstream arguments;
        arguments << file.rdbuf();
        if (arguments.str().find(mark) != std::string::npos) return true;
    }
    return false;
}

}  // namespace

bool all_gone(const std::string& mark) {
    constexpr int patience = 1000;
    for (int time = 0; time < patience; ++time) {
        if (!exists_with(mark)) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

}  // namespace coopcheck::testing
