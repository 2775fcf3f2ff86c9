#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "explorer/strategy.hpp"

namespace coopcheck {

/// One delay in a schedule that is otherwise fixed (Emmi, Qadeer, Rakamaric: Delay-bounded scheduling, POPL
/// 2011). Threads take turns: one runs until it has to wait, yields or sleeps, then the next in a circle. The
/// first run is this and nothing else; each of the others interrupts one thread at one place where it could
/// have gone on, and goes round the circle from there. There are as many runs as places, whatever the number
/// of threads. The places in the program's code come first, those that were reached before by another thread
/// or in another round later: threads that run the same code mostly fail at the same place in it.
class DelayStrategy : public Strategy {
  public:
    [[nodiscard]] std::string name() const override { return "one delay of threads that take turns"; }
    void begin_run(std::size_t run) override;
    Choice choose(const Turn& turn) override;
    void stepped(ThreadId thread, const StepResult& step, const Execution& execution) override;
    void end_run(bool complete) override;
    [[nodiscard]] bool is_finished() const override { return profiled_ && next_ >= places_.size(); }

  private:
    /// Before which step of the first run a thread can be interrupted.
    struct Place {
        std::size_t step = 0;
        std::uint64_t site = 0;
        /// How often the site was reached before.
        std::size_t before = 0;
    };

    void note_place(const Operation& operation);

    bool profiled_ = false;
    std::vector<Place> places_;
    std::size_t next_ = 0;  // of places_

    // Of the present run.
    std::size_t step_ = 0;
    std::size_t delay_ = 0;  // before which step; only if it is not the first run
    bool has_yielded_ = false;
};

}  // namespace coopcheck
