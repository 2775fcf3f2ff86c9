#include "core/names.hpp"

#include "core/check.hpp"

namespace coopcheck {

ThreadNames::ThreadNames() : names_{"T0"} {}

ThreadId ThreadNames::child(ThreadId parent, unsigned nth) {
    auto [position, is_new] = children_.try_emplace({parent, nth}, ThreadId{});
    if (is_new) {
        position->second = ThreadId{static_cast<std::uint32_t>(names_.size())};
        names_.push_back(name(parent) + "." + std::to_string(nth));
    }
    return position->second;
}

const std::string& ThreadNames::name(ThreadId thread) const {
    COOPCHECK_CHECK(thread.index() < names_.size(), "a thread without a name");
    return names_[thread.index()];
}

ObjectId ObjectNames::intern(const std::string& name) {
    auto [position, is_new] = ids_.try_emplace(name, ObjectId{});
    if (is_new) {
        position->second = ObjectId{static_cast<std::uint32_t>(names_.size())};
        names_.push_back(name);
    }
    return position->second;
}

const std::string& ObjectNames::name(ObjectId object) const {
    COOPCHECK_CHECK(object.index() < names_.size(), "an object without a name");
    return names_[object.index()];
}

}  // namespace coopcheck
