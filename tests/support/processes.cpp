#include "tests/support/processes.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace coopcheck::testing {

namespace {

bool exists_with(const std::string& mark) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        std::ifstream file(entry.path() / "cmdline");
        const std::string arguments((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        if (arguments.find(mark) != std::string::npos) return true;
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
