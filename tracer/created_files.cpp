#include "tracer/created_files.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace coopcheck::tracer {

CreatedFiles& CreatedFiles::operator=(CreatedFiles&& other) noexcept {
    if (this == &other) return *this;
    remove_all();
    paths_ = std::exchange(other.paths_, {});
    return *this;
}

bool CreatedFiles::contains(const std::string& path) const {
    return std::find(paths_.begin(), paths_.end(), path) != paths_.end();
}

void CreatedFiles::remove_all() noexcept {
    // The last first, so that folders are empty when their turn comes. One that the program has removed
    // itself, or a folder that somebody else has put something into, stays as it is.
    std::error_code ignored;
    for (auto path = paths_.rbegin(); path != paths_.rend(); ++path) std::filesystem::remove(*path, ignored);
    paths_.clear();
}

}  // namespace coopcheck::tracer
