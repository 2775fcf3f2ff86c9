#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>

namespace coopcheck::testing {

/// A job with a stack of its own that can be stopped in its middle and run again and again: the
/// stack is made once and used for every run of the job.
///
/// Call order: resume() starts the job, or continues it after a suspend(); it returns when the job
/// suspends or ends. suspend() is called from inside the job only. abandon() unwinds a job that is
/// in its middle, by an exception which the job must not swallow. The destructor abandons.
///
/// Exceptions may be in flight or being handled when a job suspends (a destructor or a catch block may
/// suspend): the bookkeeping of the C++ runtime is switched with the stack. While a job is unwound
/// because it was abandoned, suspend() returns at once. A destructor that suspends outside of
/// unwinding must be noexcept(false).
class Fiber {
  public:
    explicit Fiber(std::function<void()> job);
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// An exception that leaves the job is thrown here.
    void resume();
    void suspend();
    void abandon();
    /// The job is in its middle.
    [[nodiscard]] bool busy() const { return busy_; }
    [[nodiscard]] bool abandoned() const { return abandoned_; }

  private:
    /// What the C++ runtime keeps per kernel thread about exceptions: __cxa_eh_globals of the Itanium ABI.
    struct ExceptionState {
        void* caught = nullptr;
        std::uintptr_t uncaught = 0;
    };
    struct Abandoned {};

    static ExceptionState exchange_exceptions(const ExceptionState& next);
    void switch_in();
    void switch_out();
    void run_jobs();

    std::function<void()> job_;
    bool busy_ = false;
    bool abandoned_ = false;
    bool quitting_ = false;
    std::exception_ptr escaped_;
    ExceptionState exceptions_;
    boost::context::fiber inside_;
    boost::context::fiber outside_;
    // What AddressSanitizer has to be told at every switch.
    const void* stack_bottom_ = nullptr;
    std::size_t stack_size_ = 0;
    const void* outer_stack_bottom_ = nullptr;
    std::size_t outer_stack_size_ = 0;
};

}  // namespace coopcheck::testing
