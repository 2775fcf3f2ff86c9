#pragma once

#include <string>
#include <vector>

namespace coopcheck::tracer {

/// Files and folders that a run of the program has made. They go with it: the next run is to find the world
/// as this one did, and a run that is given up in its middle cannot clean up after itself.
class CreatedFiles {
  public:
    CreatedFiles() = default;
    ~CreatedFiles() { remove_all(); }
    CreatedFiles(CreatedFiles&& other) noexcept : paths_(std::move(other.paths_)) { other.paths_.clear(); }
    CreatedFiles& operator=(CreatedFiles&& other) noexcept;
    CreatedFiles(const CreatedFiles&) = delete;
    CreatedFiles& operator=(const CreatedFiles&) = delete;

    /// An absolute path at which there was nothing before.
    void add(std::string path) { paths_.push_back(std::move(path)); }
    [[nodiscard]] bool contains(const std::string& path) const;

  private:
    void remove_all() noexcept;
    std::vector<std::string> paths_;
};

}  // namespace coopcheck::tracer
