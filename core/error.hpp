#pragma once

#include <stdexcept>

namespace coopcheck {

/// A problem of the user or of the environment. what() is a sentence for the user that says what is wrong,
/// with what, and what to do. Caught in main only, which prints it and exits with ExitCode::CannotDo.
class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace coopcheck
