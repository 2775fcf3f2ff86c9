#pragma once

#include <system_error>

#include "core/error.hpp"

namespace coopcheck::tracer {

/// For what fails only when the target is not there any more.
inline void must(std::error_code error) {
    if (error)
        throw Error("The program was killed from outside while it ran under coopcheck (" + error.message() +
                    ").");
}

}  // namespace coopcheck::tracer
