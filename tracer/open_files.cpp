#include "tracer/open_files.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace coopcheck::tracer {

std::vector<std::pair<int, std::int64_t>> read_file_offsets(ProcessId process) {
    namespace fs = std::filesystem;
    const std::string folder = "/proc/" + std::to_string(static_cast<pid_t>(process));
    std::vector<std::pair<int, std::int64_t>> offsets;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder + "/fd", error)) {
        const std::string name = entry.path().filename();
        const int file = std::stoi(name);
        if (file <= 2 || !fs::is_regular_file(entry.path(), error)) continue;
        std::ifstream info(folder + "/fdinfo/" + name);
        std::string label;
        std::int64_t offset = 0;
        if (info >> label >> offset && label == "pos:") offsets.emplace_back(file, offset);
    }
    return offsets;
}

}  // namespace coopcheck::tracer
