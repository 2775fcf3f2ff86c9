#pragma once

#include "tracer/owned_file.hpp"

namespace coopcheck::tracer {

/// Lets the kernel do the system calls of a program that is not traced by us any more.
///
/// A filter cannot be taken back, and a call that it wants traced fails with ENOSYS when nobody traces it. A
/// second filter on top, whose answer is SECCOMP_RET_USER_NOTIF, wins over the first (seccomp(2), precedence)
/// and asks this object instead, which answers: go on, whatever the first one says.
class CallListener {
  public:
    explicit CallListener(OwnedFile file) : file_(std::move(file)) {}

    /// To be polled; readable when a call waits for its answer.
    [[nodiscard]] int descriptor() const { return file_.descriptor(); }

    /// Answers one call. Call it only when there is one, otherwise it waits.
    void answer() const;

  private:
    OwnedFile file_;
};

}  // namespace coopcheck::tracer
