#include "tests/support/fiber.hpp"

#include <cxxabi.h>

#include <boost/context/preallocated.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstring>
#include <utility>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COOPCHECK_ASAN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define COOPCHECK_ASAN
#endif
#if defined(COOPCHECK_ASAN)
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace coopcheck::testing {

namespace {

#if defined(COOPCHECK_ASAN)
// Debian's Boost.Context knows nothing of AddressSanitizer, so the switches are announced here.
constexpr std::size_t stack_size = 256 * 1024;

void before_switch(void** fake_stack, const void* bottom, std::size_t size) {
    __sanitizer_start_switch_fiber(fake_stack, bottom, size);
}

void after_switch(void* fake_stack, const void** old_bottom, std::size_t* old_size) {
    __sanitizer_finish_switch_fiber(fake_stack, old_bottom, old_size);
}

/// The stack is gone. What was remembered of its frames must not be said of what takes its place.
void forget(const void* bottom, std::size_t size) { __asan_unpoison_memory_region(bottom, size); }

/// While Boost makes a fiber it goes to the new stack and back unannounced. A pretended switch to the stack
/// we are on keeps the frames of that off the fake stack of the caller (detect_stack_use_after_return).
class UnannouncedSwitch {
  public:
    UnannouncedSwitch() {
        pthread_attr_t attributes;
        void* bottom = nullptr;
        std::size_t size = 0;
        pthread_getattr_np(pthread_self(), &attributes);
        pthread_attr_getstack(&attributes, &bottom, &size);
        pthread_attr_destroy(&attributes);
        before_switch(&fake_stack_, bottom, size);
    }
    ~UnannouncedSwitch() { after_switch(fake_stack_, nullptr, nullptr); }
    UnannouncedSwitch(const UnannouncedSwitch&) = delete;
    UnannouncedSwitch& operator=(const UnannouncedSwitch&) = delete;

  private:
    void* fake_stack_ = nullptr;
};
#else
constexpr std::size_t stack_size = 64 * 1024;

void before_switch(void** /*fake_stack*/, const void* /*bottom*/, std::size_t /*size*/) {}
void after_switch(void* /*fake_stack*/, const void** /*old_bottom*/, std::size_t* /*old_size*/) {}
void forget(const void* /*bottom*/, std::size_t /*size*/) {}
struct UnannouncedSwitch {};
#endif

}  // namespace

Fiber::Fiber(std::function<void()> job) : job_(std::move(job)) {
    boost::context::protected_fixedsize_stack allocator{stack_size};
    const boost::context::stack_context stack = allocator.allocate();
    stack_bottom_ = static_cast<const char*>(stack.sp) - stack.size;
    stack_size_ = stack.size;
    [[maybe_unused]] const UnannouncedSwitch unannounced;
    const boost::context::preallocated place(stack.sp, stack.size, stack);
    inside_ =
        boost::context::fiber{std::allocator_arg, place, allocator, [this](boost::context::fiber&& caller) {
                                  outside_ = std::move(caller);
                                  after_switch(nullptr, &outer_stack_bottom_, &outer_stack_size_);
                                  run_jobs();
                                  // A null pointer would free the fake stack (there is one only with
                                  // detect_stack_use_after_return), which the frames of Boost still use.
                                  void* fake_stack = nullptr;
                                  before_switch(&fake_stack, outer_stack_bottom_, outer_stack_size_);
                                  return std::move(outside_);
                              }};
}

Fiber::~Fiber() {
    abandon();
    quitting_ = true;
    switch_in();
    forget(stack_bottom_, stack_size_);
}

Fiber::ExceptionState Fiber::exchange_exceptions(const ExceptionState& next) {
    static_assert(sizeof(ExceptionState) == 2 * sizeof(void*));
    void* globals = abi::__cxa_get_globals();
    ExceptionState previous;
    std::memcpy(&previous, globals, sizeof previous);
    std::memcpy(globals, &next, sizeof next);
    return previous;
}

void Fiber::switch_in() {
    const ExceptionState outer = exchange_exceptions(exceptions_);
    void* fake_stack = nullptr;
    before_switch(&fake_stack, stack_bottom_, stack_size_);
    inside_ = std::move(inside_).resume();
    after_switch(fake_stack, nullptr, nullptr);
    exceptions_ = exchange_exceptions(outer);
}

void Fiber::switch_out() {
    void* fake_stack = nullptr;
    before_switch(&fake_stack, outer_stack_bottom_, outer_stack_size_);
    outside_ = std::move(outside_).resume();
    after_switch(fake_stack, &outer_stack_bottom_, &outer_stack_size_);
}

void Fiber::run_jobs() {
    while (!quitting_) {
        try {
            job_();
        } catch (const Abandoned&) {  // NOLINT(bugprone-empty-catch): its work is done
        } catch (...) {
            escaped_ = std::current_exception();
        }
        busy_ = false;
        switch_out();
    }
}

void Fiber::resume() {
    busy_ = true;
    switch_in();
    if (escaped_) {
        std::rethrow_exception(std::exchange(escaped_, nullptr));
    }
}

void Fiber::suspend() {
    if (!abandoned_) {
        switch_out();
    }
    // An exception thrown out of a destructor that runs because of another one would end the program; that
    // other one takes the job to its end as well.
    if (abandoned_ && std::uncaught_exceptions() == 0) {
        throw Abandoned{};
    }
}

void Fiber::abandon() {
    if (!busy_) {
        return;
    }
    abandoned_ = true;
    switch_in();
    abandoned_ = false;
    escaped_ = nullptr;  // thrown by a job that was over anyway
}

}  // namespace coopcheck::testing
