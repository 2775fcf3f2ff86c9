#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/program.hpp"

namespace coopcheck::testing {

/// What the threads of a random program do, by weight; 0 is never. A weight without objects to use counts as
/// 0.
struct Habits {
    int section = 10;        ///< lock, data, unlock
    int hand_over_hand = 0;  ///< lock a, lock b, unlock a, unlock b
    int trylock = 0;
    int timedlock = 0;
    int relock = 0;       ///< a second lock of a recursive or error-checking mutex
    int die_holding = 0;  ///< a thread that ends with a robust mutex
    int wait_while = 0;   ///< for a flag that stays set
    int wait_if = 0;
    int timedwait = 0;
    int notify = 0;          ///< sets the flag and signals or broadcasts, with the mutex held
    int notify_outside = 0;  ///< the same, the signal after the unlock
    int bare_signal = 0;     ///< without mutex and flag
    int read_section = 0;
    int write_section = 0;
    int try_rwlock = 0;
    int timed_rwlock = 0;
    int spin_section = 0;
    int spin_trylock = 0;
    int semaphore_section = 0;
    int semaphore_wait = 0;
    int semaphore_post = 0;
    int semaphore_try = 0;
    int semaphore_timed = 0;
    int semaphore_value = 0;
    int barrier = 0;
    int once = 0;
    int tryjoin = 0;
    int cancel = 0;
    int futex_wait = 0;
    int futex_wake = 0;
    int racy = 0;    ///< data without a lock
    int branch = 6;  ///< something that depends on a value read or a result
    int choose = 0;
    int yield = 0;
    int sleep = 0;
    int poll_flag = 0;  ///< looks at a flag again and again, yielding or sleeping in between
    int poll_lock = 0;  ///< the same with trylock
    int exit = 0;
    int trusted = 0;
    int destroy = 0;
    int misuse = 0;
};

/// What random programs look like.
struct Shape {
    std::string name;
    int min_threads = 2;  ///< main included
    int max_threads = 4;
    /// Visible operations: of one thread at most (main also creates and joins), and of all together, about.
    int operations = 10;
    int total_operations = 40;

    int mutexes = 2;
    bool recursive = false;       ///< some mutexes are
    bool error_checking = false;  ///< some mutexes are
    bool robust = false;          ///< some mutexes are
    int conditions = 0;
    int rwlocks = 0;
    bool prefer_writer = false;  ///< some rwlocks do
    int spins = 0;
    int semaphores = 0;
    int barriers = 0;
    int onces = 0;
    int variables = 3;  ///< each is always accessed under the same lock, except by racy habits

    int nesting = 40;       ///< percent: another section inside a section
    int assertions = 15;    ///< percent: a value read is asserted
    int grandchildren = 0;  ///< percent: a thread is created by another than main
    int detached = 0;       ///< percent: a child is detached, not joined
    Habits habits;

    /// Its programs may wait in a loop, for ever if nobody else gets a turn.
    [[nodiscard]] bool has_endless_schedules() const { return habits.poll_flag > 0 || habits.poll_lock > 0; }
};

/// The same seed and shape make the same program on any machine.
[[nodiscard]] Program generate(std::uint64_t seed, const Shape& shape);

/// One shape per way of using primitives; together they use every operation there is.
[[nodiscard]] const std::vector<Shape>& families();
[[nodiscard]] const Shape& family(const std::string& name);

}  // namespace coopcheck::testing
