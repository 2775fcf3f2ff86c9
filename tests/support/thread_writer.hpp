#pragma once

#include <functional>
#include <vector>

#include "tests/support/generator.hpp"
#include "tests/support/program.hpp"
#include "tests/support/random.hpp"

namespace coopcheck::testing {

/// A lock that protects data.
struct Guard {
    Operand operand = Operand::None;
    int index = 0;
    bool shared = false;  ///< held for reading only
};

/// What all threads of a random program agree on.
struct Layout {
    std::vector<Guard> guards;               ///< of each variable
    std::vector<int> condition_mutex;        ///< of each condition
    std::vector<int> condition_flag;         ///< the variable that each condition is about
    std::vector<std::vector<int>> children;  ///< of each thread, in the order of their creation
    std::vector<int> parent;
};

/// Writes the code of one thread of a random program. No two random numbers are drawn in one expression: the
/// order would be the compiler's choice.
class ThreadWriter {
  public:
    ThreadWriter(Random& random, const Shape& shape, const Layout& layout, const Program& program, int thread)
        : random_(random), shape_(shape), layout_(layout), program_(program), thread_(thread) {}

    std::vector<Instruction> write(int budget);

  private:
    using Code = std::vector<Instruction>;
    struct Habit {
        int Habits::*weight;
        Operand needs;
        void (ThreadWriter::*write)(int depth);
    };
    static const std::vector<Habit>& table();
    static constexpr int none = -1;
    static constexpr int deepest = 2;

    std::size_t emit(Opcode code, int object = 0, int value = 0, int reg = none);
    void patch(std::size_t jump) { code_[jump].target = static_cast<int>(code_.size()); }
    void if_equal(int reg, int value, const std::function<void()>& body);
    void if_not_equal(int reg, int value, const std::function<void()>& body);

    /// The next one in turn, mostly, so that results are not overwritten at once.
    int some_register();
    int some(Operand operand) { return random_.below(object_count(program_, operand)); }
    void fill(std::size_t jump, const std::function<void()>& body);

    int some_free(Operand operand);
    [[nodiscard]] bool holds(Operand operand, int index) const;
    int some_mutex_where(bool (*wanted)(const MutexDeclaration&));
    int some_signalling_semaphore();
    int some_known_thread();

    void statement(int depth);
    void create_next_child();
    void release_waiters();
    void settle_children();
    void contents(int depth);
    bool guarded_data();
    void data(int variable, bool only_read);
    void holding(Guard guard, const std::function<void()>& body);

    void section(int depth);
    void section_of(int mutex, int depth);
    void hand_over_hand(int depth);
    void trylock(int depth);
    void timedlock(int depth);
    void relock(int depth);
    void die_holding(int depth);
    void wait_while(int depth);
    void wait_if(int depth);
    void timedwait(int depth);
    void notify(int depth);
    void notify_outside(int depth);
    void bare_signal(int depth);
    void wake_someone(int condition);
    void read_section(int depth);
    void write_section(int depth);
    void try_rwlock(int depth);
    void timed_rwlock(int depth);
    void spin_section(int depth);
    void spin_trylock(int depth);
    void semaphore_section(int depth);
    void semaphore_wait(int depth);
    void semaphore_post(int depth);
    void semaphore_try(int depth);
    void semaphore_timed(int depth);
    void semaphore_value(int depth);
    void barrier(int depth);
    void once(int depth);
    void tryjoin(int depth);
    void cancel(int depth);
    void futex_wait(int depth);
    void futex_wake(int depth);
    void racy(int depth);
    void branch(int depth);
    void choose(int depth);
    void yield(int depth);
    void sleep(int depth);
    void poll_flag(int depth);
    void poll_lock(int depth);
    void exit(int depth);
    void trusted(int depth);
    void destroy(int depth);
    void misuse(int depth);
    /// A lock that may fail: what follows depends on the result.
    void attempt(Opcode take, Opcode give, Guard guard, int depth);

    Random& random_;
    const Shape& shape_;
    const Layout& layout_;
    const Program& program_;
    int thread_;
    Code code_;
    int operations_ = 0;
    std::vector<Guard> held_;
    int last_result_ = none;  ///< the register that got something last
    int next_register_ = 0;
    bool in_once_ = false;
    bool at_barrier_ = false;  ///< the thread has waited at a barrier
    bool over_ = false;        ///< the thread is to end here
    std::size_t created_ = 0;
    std::vector<int> to_settle_;  ///< children created and neither joined nor detached
};

}  // namespace coopcheck::testing
