#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/ids.hpp"

namespace coopcheck {

/// Names threads by origin: T0 is main, T0.1 its first child, T0.1.2 the second child of that.
/// Lives as long as the search, so that an id means the same thread in every schedule.
class ThreadNames {
  public:
    ThreadNames();

    /// The nth child (counted from 1) that `parent` creates.
    ThreadId child(ThreadId parent, unsigned nth);
    [[nodiscard]] const std::string& name(ThreadId thread) const;
    [[nodiscard]] std::size_t size() const { return names_.size(); }

  private:
    std::vector<std::string> names_;
    std::map<std::pair<ThreadId, unsigned>, ThreadId> children_;
};

/// Names objects by origin. The text of an origin is unique: a symbol or module+offset for
/// globals, "creating thread, nth object" for heap and stack objects.
class ObjectNames {
  public:
    ObjectId intern(const std::string& name);
    [[nodiscard]] const std::string& name(ObjectId object) const;
    [[nodiscard]] std::size_t size() const { return names_.size(); }

  private:
    std::vector<std::string> names_;
    std::map<std::string, ObjectId> ids_;
};

/// Both tables of one search.
struct Names {
    ThreadNames threads;
    ObjectNames objects;
};

}  // namespace coopcheck
