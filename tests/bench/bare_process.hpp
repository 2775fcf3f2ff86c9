#pragma once

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <span>

#include "core/check.hpp"
#include "tracer/child_process.hpp"
#include "tracer/ptrace.hpp"

/// The least that the kernel can be asked to do, to compare with.
namespace coopcheck::bench {

inline void must(std::error_code error) { COOPCHECK_CHECK(!error, error.message()); }

/// A child that does nothing but stop.
class BareLoop {
  public:
    BareLoop()
        : process_([] {
              if (tracer::ptrace::trace_me()) return 1;
              ::raise(SIGSTOP);
              for (;;) __asm__ volatile("int3");
              return 0;
          }) {
        COOPCHECK_CHECK(process_.wait() == tracer::WaitStatus(tracer::Stopped{SIGSTOP}), "no stop");
    }

    /// To the next stop, with the registers read and written.
    void stop() {
        must(tracer::ptrace::cont(process_.id()));
        COOPCHECK_CHECK(process_.wait() == tracer::WaitStatus(tracer::Stopped{SIGTRAP}), "no int3");
        const auto registers = tracer::ptrace::get_registers(process_.id());
        must(registers.error());
        must(tracer::ptrace::set_registers(process_.id(), registers.value()));
    }

    /// The same with the vector registers.
    void stop_with_extended_state() {
        stop();
        const auto size = tracer::ptrace::get_extended_state(process_.id(), area_);
        must(size.error());
        must(tracer::ptrace::set_extended_state(process_.id(), std::span(area_).first(size.value())));
    }

  private:
    tracer::ChildProcess process_;
    std::array<std::byte, 16384> area_{};
};

}  // namespace coopcheck::bench
