#pragma once

#include <stdexcept>
#include <string>

namespace coopcheck {

/// A bug of coopcheck itself. what() carries file and line. Caught in main only.
class InternalError : public std::logic_error {
  public:
    using std::logic_error::logic_error;
};

[[noreturn]] void check_failed(const char* file, int line, const char* condition, const std::string& message);

}  // namespace coopcheck

/// Throws InternalError unless `condition` holds, in every build. `message` says what was wrong (not what
/// should have been right) and is evaluated only on failure.
#define COOPCHECK_CHECK(condition, message)                                       \
    do {                                                                          \
        if (!(condition)) [[unlikely]] {                                          \
            ::coopcheck::check_failed(__FILE__, __LINE__, #condition, (message)); \
        }                                                                         \
    } while (false)
