// What threads of random programs do with mutexes, rwlocks and spin locks.
#include <cerrno>

#include "tests/support/thread_writer.hpp"

namespace coopcheck::testing {

void ThreadWriter::section(int depth) {
    if (const int mutex = some_free(Operand::Mutex); mutex != none) {
        section_of(mutex, depth);
    }
}

void ThreadWriter::section_of(int mutex, int depth) {
    const auto inside = [&] {
        holding({Operand::Mutex, mutex}, [&] { contents(depth); });
        emit(Opcode::Unlock, mutex);
    };
    if (!program_.mutexes[static_cast<std::size_t>(mutex)].robust) {
        emit(Opcode::Lock, mutex);
        inside();
        return;
    }
    const int result = some_register();
    emit(Opcode::Lock, mutex, 0, result);
    if (random_.chance(70)) {
        if_equal(result, EOWNERDEAD, [&] { emit(Opcode::Consistent, mutex); });
    }
    if_not_equal(result, ENOTRECOVERABLE, inside);
}

void ThreadWriter::hand_over_hand(int depth) {
    const int first = some_free(Operand::Mutex);
    if (first == none) {
        return;
    }
    int second = none;
    emit(Opcode::Lock, first);
    holding({Operand::Mutex, first}, [&] {
        guarded_data();
        second = some_free(Operand::Mutex);
        if (second != none) {
            emit(Opcode::Lock, second);
        }
    });
    emit(Opcode::Unlock, first);
    if (second != none) {
        holding({Operand::Mutex, second}, [&] { contents(depth + 1); });
        emit(Opcode::Unlock, second);
    }
}

void ThreadWriter::attempt(Opcode take, Opcode give, Guard guard, int depth) {
    if (guard.index == none) {
        return;
    }
    const int result = some_register();
    emit(take, guard.index, 0, result);
    if_equal(result, 0, [&] {
        holding(guard, [&] { contents(depth); });
        emit(give, guard.index);
    });
}

void ThreadWriter::trylock(int depth) {
    attempt(Opcode::TryLock, Opcode::Unlock, {Operand::Mutex, some_free(Operand::Mutex)}, depth);
}

void ThreadWriter::timedlock(int depth) {
    attempt(Opcode::TimedLock, Opcode::Unlock, {Operand::Mutex, some_free(Operand::Mutex)}, depth);
}

void ThreadWriter::relock(int depth) {
    const int mutex = some_mutex_where(
        [](const MutexDeclaration& declaration) { return declaration.kind != MutexKind::Normal; });
    if (mutex == none) {
        return;
    }
    emit(Opcode::Lock, mutex);
    holding({Operand::Mutex, mutex}, [&] {
        const int result = some_register();
        const bool tries = random_.chance(30);
        emit(tries ? Opcode::TryLock : Opcode::Lock, mutex, 0, result);
        if_equal(result, 0, [&] {
            contents(depth + 1);
            emit(Opcode::Unlock, mutex);
        });
        guarded_data();
    });
    emit(Opcode::Unlock, mutex);
}

void ThreadWriter::die_holding(int depth) {
    const int mutex =
        some_mutex_where([](const MutexDeclaration& declaration) { return declaration.robust; });
    if (mutex == none || depth > 0 || thread_ == 0) {
        section(depth);
        return;
    }
    emit(Opcode::Lock, mutex);
    holding({Operand::Mutex, mutex}, [&] { guarded_data(); });
    over_ = true;
}

void ThreadWriter::read_section(int depth) {
    const int lock = some_free(Operand::RwLock);
    if (lock != none) {
        emit(Opcode::ReadLock, lock);
        holding({Operand::RwLock, lock, true}, [&] { contents(depth); });
        emit(Opcode::RwUnlock, lock);
    } else if (random_.chance(50)) {
        // Reading twice around a writer's arrival.
        const int again = some(Operand::RwLock);
        const int result = some_register();
        emit(Opcode::ReadLock, again, 0, result);
        if_equal(result, 0, [&] { emit(Opcode::RwUnlock, again); });
    }
}

void ThreadWriter::write_section(int depth) {
    if (const int lock = some_free(Operand::RwLock); lock != none) {
        emit(Opcode::WriteLock, lock);
        holding({Operand::RwLock, lock}, [&] { contents(depth); });
        emit(Opcode::RwUnlock, lock);
    }
}

void ThreadWriter::try_rwlock(int depth) {
    const int lock = some_free(Operand::RwLock);
    const bool reads = random_.chance(50);
    attempt(reads ? Opcode::TryReadLock : Opcode::TryWriteLock, Opcode::RwUnlock,
            {Operand::RwLock, lock, reads}, depth);
}

void ThreadWriter::timed_rwlock(int depth) {
    const int lock = some_free(Operand::RwLock);
    const bool reads = random_.chance(50);
    attempt(reads ? Opcode::TimedReadLock : Opcode::TimedWriteLock, Opcode::RwUnlock,
            {Operand::RwLock, lock, reads}, depth);
}

void ThreadWriter::spin_section(int depth) {
    if (const int lock = some_free(Operand::Spin); lock != none) {
        emit(Opcode::SpinLock, lock);
        holding({Operand::Spin, lock}, [&] { contents(depth); });
        emit(Opcode::SpinUnlock, lock);
    }
}

void ThreadWriter::spin_trylock(int depth) {
    attempt(Opcode::SpinTryLock, Opcode::SpinUnlock, {Operand::Spin, some_free(Operand::Spin)}, depth);
}

}  // namespace coopcheck::testing
