#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/check.hpp"

namespace coopcheck::testing {

/// An empty folder that is gone, with what is in it, when the object is.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "coopcheck-test-XXXXXX").string();
        COOPCHECK_CHECK(::mkdtemp(name.data()) != nullptr, "cannot make a temporary folder");
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

  private:
    std::filesystem::path path_;
};

}  // namespace coopcheck::testing
