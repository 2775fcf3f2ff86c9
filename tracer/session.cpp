#include "tracer/session.hpp"

#include "tracer/standard_input.hpp"

namespace coopcheck::tracer {

const std::string& Session::input() {
    if (input_read_) return *input_read_;
    return input_read_.emplace(input_ ? *input_ : read_standard_input());
}

}  // namespace coopcheck::tracer
