#pragma once

#include <span>
#include <string>

namespace coopcheck::tracer {

/// How system calls that no other thread can notice, that wait for nobody and that give the same answer in
/// every run are told from the others. What is on neither list has a row in Run's table or is refused by
/// name: a call that we do not know must not make a claim wrong.

/// The filter lets them pass.
[[nodiscard]] std::span<const int> harmless_system_calls();
/// Answered with ENOSYS, as a kernel without them does: programs that use them have another way.
[[nodiscard]] std::span<const int> absent_system_calls();

/// "read"; the number in digits if it has no name.
[[nodiscard]] std::string system_call_name(long system_call);

}  // namespace coopcheck::tracer
