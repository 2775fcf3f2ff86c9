#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "core/operation.hpp"

// Runs whose threads run freely and are disturbed at their operations (ConTest: Edelstein et al.,
// "Multithreaded Java program test generation"). What happens there, and what may be done about it.

namespace coopcheck {

/// What is done to a thread that is about to make an operation.
enum class NoiseKind : std::uint8_t {
    None,
    Sleep,     ///< it stands still for some time while the others run
    Yield,     ///< it stands still until another thread makes an operation, at most for some time
    Priority,  ///< it gets another priority
};

struct Noise {
    NoiseKind kind = NoiseKind::None;
    /// Of a sleep; the longest that a yield may take.
    std::chrono::microseconds duration{};
    /// Priority: the nice value, from 0 (the best) to 19.
    int nice = 0;
};

/// A place where noise can be made.
struct NoisePoint {
    ThreadId thread;
    OpKind kind = OpKind::ThreadStart;
    /// The function of the program that makes the operation; empty if it is not known.
    std::string function;
    /// The functions in which the other threads made their last operations.
    std::vector<std::string> others;
};

using DecideNoise = std::function<Noise(const NoisePoint&)>;

/// An operation of a free run. The order of them is the order in which the threads were let go on to make
/// them; one that has to wait is completed later.
struct FreeOperation {
    ThreadId thread;
    Operation operation;
};

}  // namespace coopcheck
