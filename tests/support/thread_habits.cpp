// What threads of random programs do: one function per habit. Those about locks are in lock_habits.cpp.
#include <array>
#include <cerrno>

#include "tests/support/thread_writer.hpp"

namespace coopcheck::testing {

const std::vector<ThreadWriter::Habit>& ThreadWriter::table() {
    static const std::vector<Habit> habits{
        {&Habits::section, Operand::Mutex, &ThreadWriter::section},
        {&Habits::hand_over_hand, Operand::Mutex, &ThreadWriter::hand_over_hand},
        {&Habits::trylock, Operand::Mutex, &ThreadWriter::trylock},
        {&Habits::timedlock, Operand::Mutex, &ThreadWriter::timedlock},
        {&Habits::relock, Operand::Mutex, &ThreadWriter::relock},
        {&Habits::die_holding, Operand::Mutex, &ThreadWriter::die_holding},
        {&Habits::wait_while, Operand::Condition, &ThreadWriter::wait_while},
        {&Habits::wait_if, Operand::Condition, &ThreadWriter::wait_if},
        {&Habits::timedwait, Operand::Condition, &ThreadWriter::timedwait},
        {&Habits::notify, Operand::Condition, &ThreadWriter::notify},
        {&Habits::notify_outside, Operand::Condition, &ThreadWriter::notify_outside},
        {&Habits::bare_signal, Operand::Condition, &ThreadWriter::bare_signal},
        {&Habits::read_section, Operand::RwLock, &ThreadWriter::read_section},
        {&Habits::write_section, Operand::RwLock, &ThreadWriter::write_section},
        {&Habits::try_rwlock, Operand::RwLock, &ThreadWriter::try_rwlock},
        {&Habits::timed_rwlock, Operand::RwLock, &ThreadWriter::timed_rwlock},
        {&Habits::spin_section, Operand::Spin, &ThreadWriter::spin_section},
        {&Habits::spin_trylock, Operand::Spin, &ThreadWriter::spin_trylock},
        {&Habits::semaphore_section, Operand::Semaphore, &ThreadWriter::semaphore_section},
        {&Habits::semaphore_wait, Operand::Semaphore, &ThreadWriter::semaphore_wait},
        {&Habits::semaphore_post, Operand::Semaphore, &ThreadWriter::semaphore_post},
        {&Habits::semaphore_try, Operand::Semaphore, &ThreadWriter::semaphore_try},
        {&Habits::semaphore_timed, Operand::Semaphore, &ThreadWriter::semaphore_timed},
        {&Habits::semaphore_value, Operand::Semaphore, &ThreadWriter::semaphore_value},
        {&Habits::barrier, Operand::Barrier, &ThreadWriter::barrier},
        {&Habits::once, Operand::Once, &ThreadWriter::once},
        {&Habits::tryjoin, Operand::None, &ThreadWriter::tryjoin},
        {&Habits::cancel, Operand::None, &ThreadWriter::cancel},
        {&Habits::futex_wait, Operand::Variable, &ThreadWriter::futex_wait},
        {&Habits::futex_wake, Operand::Variable, &ThreadWriter::futex_wake},
        {&Habits::racy, Operand::Variable, &ThreadWriter::racy},
        {&Habits::branch, Operand::None, &ThreadWriter::branch},
        {&Habits::choose, Operand::None, &ThreadWriter::choose},
        {&Habits::yield, Operand::None, &ThreadWriter::yield},
        {&Habits::sleep, Operand::None, &ThreadWriter::sleep},
        {&Habits::poll_flag, Operand::Condition, &ThreadWriter::poll_flag},
        {&Habits::poll_lock, Operand::Mutex, &ThreadWriter::poll_lock},
        {&Habits::exit, Operand::None, &ThreadWriter::exit},
        {&Habits::trusted, Operand::None, &ThreadWriter::trusted},
        {&Habits::destroy, Operand::None, &ThreadWriter::destroy},
        {&Habits::misuse, Operand::None, &ThreadWriter::misuse},
    };
    return habits;
}

void ThreadWriter::wait_while(int depth) {
    const int condition = some(Operand::Condition);
    const int mutex = layout_.condition_mutex[static_cast<std::size_t>(condition)];
    const int flag = layout_.condition_flag[static_cast<std::size_t>(condition)];
    if (holds(Operand::Mutex, mutex)) {
        return;
    }
    const int seen = some_register();
    emit(Opcode::Lock, mutex);
    const int head = static_cast<int>(code_.size());
    emit(Opcode::Read, flag, 0, seen);
    const std::size_t leave = emit(Opcode::JumpIfNotEqual, 0, 0, seen);
    emit(Opcode::Wait, condition, mutex);
    code_[emit(Opcode::Jump)].target = head;
    patch(leave);
    if (random_.chance(50)) {
        holding({Operand::Mutex, mutex}, [&] { contents(depth + 1); });
    }
    emit(Opcode::Unlock, mutex);
}

void ThreadWriter::wait_if(int /*depth*/) {
    const int condition = some(Operand::Condition);
    const int mutex = layout_.condition_mutex[static_cast<std::size_t>(condition)];
    const int flag = layout_.condition_flag[static_cast<std::size_t>(condition)];
    if (holds(Operand::Mutex, mutex)) {
        return;
    }
    const int seen = some_register();
    emit(Opcode::Lock, mutex);
    emit(Opcode::Read, flag, 0, seen);
    if_equal(seen, 0, [&] { emit(Opcode::Wait, condition, mutex); });
    if (random_.chance(shape_.assertions)) {
        emit(Opcode::Read, flag, 0, seen);
        emit(Opcode::AssertNotEqual, 0, 0, seen);
    } else {
        holding({Operand::Mutex, mutex}, [&] { guarded_data(); });
    }
    emit(Opcode::Unlock, mutex);
}

void ThreadWriter::timedwait(int /*depth*/) {
    const int condition = some(Operand::Condition);
    const int mutex = layout_.condition_mutex[static_cast<std::size_t>(condition)];
    if (holds(Operand::Mutex, mutex)) {
        return;
    }
    const int result = some_register();
    emit(Opcode::Lock, mutex);
    emit(Opcode::Read, layout_.condition_flag[static_cast<std::size_t>(condition)], 0, result);
    if_equal(result, 0, [&] { emit(Opcode::TimedWait, condition, mutex, result); });
    if_equal(result, 0, [&] { holding({Operand::Mutex, mutex}, [&] { guarded_data(); }); });
    emit(Opcode::Unlock, mutex);
}

void ThreadWriter::wake_someone(int condition) {
    emit(random_.chance(60) ? Opcode::Signal : Opcode::Broadcast, condition);
}

void ThreadWriter::notify(int /*depth*/) {
    const int condition = some(Operand::Condition);
    const int mutex = layout_.condition_mutex[static_cast<std::size_t>(condition)];
    const bool held = holds(Operand::Mutex, mutex);
    if (!held) {
        emit(Opcode::Lock, mutex);
    }
    emit(Opcode::Write, layout_.condition_flag[static_cast<std::size_t>(condition)], 1);
    wake_someone(condition);
    if (!held) {
        emit(Opcode::Unlock, mutex);
    }
}

void ThreadWriter::notify_outside(int /*depth*/) {
    const int condition = some(Operand::Condition);
    const int mutex = layout_.condition_mutex[static_cast<std::size_t>(condition)];
    if (!holds(Operand::Mutex, mutex)) {
        emit(Opcode::Lock, mutex);
        emit(Opcode::Write, layout_.condition_flag[static_cast<std::size_t>(condition)], 1);
        emit(Opcode::Unlock, mutex);
    }
    wake_someone(condition);
}

void ThreadWriter::bare_signal(int /*depth*/) { wake_someone(some(Operand::Condition)); }

void ThreadWriter::semaphore_section(int depth) {
    if (!holds(Operand::Semaphore, 0)) {
        emit(Opcode::SemWait, 0);
        holding({Operand::Semaphore, 0}, [&] { contents(depth); });
        emit(Opcode::SemPost, 0);
    }
}

void ThreadWriter::semaphore_wait(int /*depth*/) { emit(Opcode::SemWait, some_signalling_semaphore()); }

void ThreadWriter::semaphore_post(int /*depth*/) { emit(Opcode::SemPost, some_signalling_semaphore()); }

void ThreadWriter::semaphore_try(int depth) {
    attempt(Opcode::SemTryWait, Opcode::SemPost, {Operand::Semaphore, some_free(Operand::Semaphore)}, depth);
}

void ThreadWriter::semaphore_timed(int depth) {
    attempt(Opcode::SemTimedWait, Opcode::SemPost, {Operand::Semaphore, some_free(Operand::Semaphore)},
            depth);
}

void ThreadWriter::semaphore_value(int /*depth*/) {
    const int semaphore = some(Operand::Semaphore);
    emit(Opcode::SemGetValue, semaphore, 0, some_register());
}

void ThreadWriter::barrier(int depth) {
    // Once in each thread, mostly: otherwise hardly any barrier is ever full.
    if ((depth > 0 || at_barrier_) && random_.chance(95)) {
        return;
    }
    at_barrier_ = true;
    while (depth == 0 && created_ < layout_.children[static_cast<std::size_t>(thread_)].size()) {
        create_next_child();  // who else should come
    }
    const int barrier = some(Operand::Barrier);
    emit(Opcode::BarrierWait, barrier, 0, some_register());
}

void ThreadWriter::once(int depth) {
    if (in_once_) {
        return;
    }
    const int once = some(Operand::Once);
    const std::size_t enter = emit(Opcode::OnceEnter, once);
    in_once_ = true;
    statement(depth + 1);
    in_once_ = false;
    emit(Opcode::OnceDone, once);
    patch(enter);
}

void ThreadWriter::tryjoin(int /*depth*/) {
    if (to_settle_.empty()) {
        return;
    }
    const int child = to_settle_.back();
    const int result = some_register();
    emit(Opcode::TryJoin, child, 0, result);
    if (random_.chance(70)) {  // otherwise the thread is joined twice, perhaps
        to_settle_.pop_back();
        if_equal(result, EBUSY, [&] { emit(Opcode::Join, child); });
    }
}

void ThreadWriter::cancel(int /*depth*/) { emit(Opcode::Cancel, some_known_thread()); }

void ThreadWriter::futex_wait(int /*depth*/) {
    const int word = some(Operand::Variable);
    const bool timed = shape_.habits.timedlock > 0 && random_.chance(50);
    const int result = some_register();
    emit(timed ? Opcode::FutexTimedWait : Opcode::FutexWait, word, 0, result);
}

void ThreadWriter::futex_wake(int /*depth*/) {
    const int word = some(Operand::Variable);
    const int result = some_register();
    emit(Opcode::FetchAdd, word, 1, result);
    const int count = random_.between(1, 2);
    emit(Opcode::FutexWake, word, count, result);
}

void ThreadWriter::racy(int /*depth*/) { data(some(Operand::Variable), false); }

void ThreadWriter::branch(int depth) {
    if (last_result_ == none || depth >= deepest) {
        return;
    }
    const int reg = last_result_;
    const int value = random_.below(2);
    if (random_.chance(50)) {
        if_equal(reg, value, [&] { statement(depth + 1); });
    } else {
        if_not_equal(reg, value, [&] { statement(depth + 1); });
    }
}

void ThreadWriter::choose(int depth) {
    const int reg = some_register();
    emit(Opcode::Choose, 0, random_.between(2, 3), reg);
    if_equal(reg, 1, [&] { statement(depth + 1); });
}

void ThreadWriter::yield(int /*depth*/) { emit(Opcode::Yield); }

void ThreadWriter::sleep(int /*depth*/) { emit(Opcode::Sleep); }

void ThreadWriter::poll_flag(int /*depth*/) {
    const int condition = some(Operand::Condition);
    const int mutex = layout_.condition_mutex[static_cast<std::size_t>(condition)];
    const int flag = layout_.condition_flag[static_cast<std::size_t>(condition)];
    if (holds(Operand::Mutex, mutex)) {
        return;
    }
    const int seen = some_register();
    const auto head = static_cast<int>(code_.size());
    emit(Opcode::Lock, mutex);
    emit(Opcode::Read, flag, 0, seen);
    emit(Opcode::Unlock, mutex);
    const std::size_t leave = emit(Opcode::JumpIfNotEqual, 0, 0, seen);
    emit(random_.chance(50) ? Opcode::Yield : Opcode::Sleep);
    code_[emit(Opcode::Jump)].target = head;
    patch(leave);
}

void ThreadWriter::poll_lock(int depth) {
    const int mutex = some_free(Operand::Mutex);
    if (mutex == none) {
        return;
    }
    const int result = some_register();
    const auto head = static_cast<int>(code_.size());
    emit(Opcode::TryLock, mutex, 0, result);
    const std::size_t leave = emit(Opcode::JumpIfEqual, 0, 0, result);
    emit(random_.chance(50) ? Opcode::Yield : Opcode::Sleep);
    code_[emit(Opcode::Jump)].target = head;
    patch(leave);
    holding({Operand::Mutex, mutex}, [&] { contents(depth + 1); });
    emit(Opcode::Unlock, mutex);
}

void ThreadWriter::exit(int depth) {
    const int code = random_.below(3);
    if (last_result_ != none) {
        if_equal(last_result_, 1, [&] { emit(Opcode::Exit, 0, code); });
    } else if (depth == 0 && operations_ > 2) {
        emit(Opcode::Exit, 0, code);
    }
}

void ThreadWriter::trusted(int depth) {
    const std::size_t begin = emit(Opcode::TrustedBegin);
    statement(depth + 1);
    emit(Opcode::TrustedEnd);
    patch(begin);
}

void ThreadWriter::destroy(int /*depth*/) {
    constexpr std::array codes{Opcode::DestroyMutex, Opcode::DestroyCondition, Opcode::DestroyRwLock,
                               Opcode::DestroySpin,  Opcode::DestroySemaphore, Opcode::DestroyBarrier};
    const Opcode code = codes[static_cast<std::size_t>(random_.below(static_cast<int>(codes.size())))];
    if (object_count(program_, traits(code).operand) > 0) {
        emit(code, some(traits(code).operand));
    }
}

void ThreadWriter::misuse(int /*depth*/) {
    constexpr std::array codes{Opcode::Lock,     Opcode::Unlock,     Opcode::Unlock,    Opcode::Consistent,
                               Opcode::Wait,     Opcode::ReadLock,   Opcode::WriteLock, Opcode::RwUnlock,
                               Opcode::SpinLock, Opcode::SpinUnlock, Opcode::Join,      Opcode::Detach};
    const Opcode code = codes[static_cast<std::size_t>(random_.below(static_cast<int>(codes.size())))];
    const Operand operand = traits(code).operand;
    if (operand == Operand::Thread) {
        emit(code, some_known_thread());
    } else if (object_count(program_, operand) > 0 &&
               (code != Opcode::Wait || object_count(program_, Operand::Mutex) > 0)) {
        const int object = some(operand);
        emit(code, object, code == Opcode::Wait ? some(Operand::Mutex) : 0);
    }
}

}  // namespace coopcheck::testing
