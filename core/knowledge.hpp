#pragma once

#include <string>
#include <vector>

#include "core/names.hpp"

namespace coopcheck {

/// What an execution has come to know of its program in the runs it made. Another execution of the same
/// program that is given it speaks in the same ids and does not have to learn the same again.
struct Knowledge {
    Names names;
    /// In words of the execution's own.
    std::vector<std::string> learnt;
};

}  // namespace coopcheck
