#include "core/check.hpp"

namespace coopcheck {

void check_failed(const char* file, int line, const char* condition, const std::string& message) {
    throw InternalError(std::string(file) + ":" + std::to_string(line) + ": " + message +
                        " (expected: " + condition + ")");
}

}  // namespace coopcheck
