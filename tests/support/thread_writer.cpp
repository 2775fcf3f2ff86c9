#include "tests/support/thread_writer.hpp"

#include <algorithm>
#include <utility>

namespace coopcheck::testing {

std::vector<Instruction> ThreadWriter::write(int budget) {
    constexpr int attempts = 12;
    for (int attempt = 0; attempt < attempts && operations_ < budget && !over_; ++attempt) {
        if (random_.chance(75)) {
            create_next_child();
        }
        const std::size_t size = code_.size();
        const int operations = operations_;
        const std::vector<int> to_settle = to_settle_;
        const std::size_t created = created_;
        const bool at_barrier = at_barrier_;
        statement(0);
        if (operations_ > budget) {
            code_.resize(size);
            operations_ = operations;
            to_settle_ = to_settle;
            last_result_ = none;
            over_ = false;
            created_ = created;
            at_barrier_ = at_barrier;
        }
    }
    if (!over_) {
        while (created_ < layout_.children[static_cast<std::size_t>(thread_)].size()) {
            create_next_child();
        }
        release_waiters();
        settle_children();
    }
    return code_;
}

void ThreadWriter::create_next_child() {
    const std::vector<int>& children = layout_.children[static_cast<std::size_t>(thread_)];
    if (created_ < children.size()) {
        emit(Opcode::Create, children[created_]);
        to_settle_.push_back(children[created_]);
        ++created_;
    }
}

/// Without this most programs with waits would only ever get stuck.
void ThreadWriter::release_waiters() {
    constexpr int percent = 60;
    if (shape_.habits.barrier > 0 && !program_.barriers.empty() && !at_barrier_ && random_.chance(95)) {
        barrier(0);
    }
    if (thread_ != 0) {
        return;
    }
    if (shape_.habits.notify > 0 && program_.conditions > 0 && random_.chance(percent)) {
        notify(deepest);
    }
    if (shape_.habits.semaphore_post > 0 && !program_.semaphores.empty() && random_.chance(percent)) {
        emit(Opcode::SemPost, some_signalling_semaphore());
    }
    for (int word = 0; shape_.habits.futex_wake > 0 && word < object_count(program_, Operand::Variable);
         ++word) {
        if (random_.chance(percent)) {
            emit(Opcode::FetchAdd, word, 1);
            emit(Opcode::FutexWake, word, static_cast<int>(max_threads));
        }
    }
}

void ThreadWriter::settle_children() {
    for (const int child : to_settle_) {
        if (random_.chance(shape_.detached)) {
            emit(Opcode::Detach, child);
        } else if (random_.chance(80)) {
            emit(shape_.habits.timedlock > 0 && random_.chance(20) ? Opcode::TimedJoin : Opcode::Join, child);
        }
    }
    // What the others have left, under its lock.
    if (thread_ == 0 && random_.chance(shape_.assertions)) {
        contents(deepest);
        if (object_count(program_, Operand::Mutex) > 0) {
            section_of(some(Operand::Mutex), deepest);
        }
    }
}

int ThreadWriter::some_register() {
    if (random_.chance(25)) {
        return random_.below(register_count);
    }
    next_register_ = (next_register_ + 1) % register_count;
    return next_register_;
}

std::size_t ThreadWriter::emit(Opcode opcode, int object, int value, int reg) {
    code_.push_back({.code = opcode, .object = object, .value = value, .reg = reg});
    operations_ += traits(opcode).visible ? 1 : 0;
    last_result_ = reg != none ? reg : last_result_;
    return code_.size() - 1;
}

void ThreadWriter::if_equal(int reg, int value, const std::function<void()>& body) {
    fill(emit(Opcode::JumpIfNotEqual, 0, value, reg), body);
}

void ThreadWriter::if_not_equal(int reg, int value, const std::function<void()>& body) {
    fill(emit(Opcode::JumpIfEqual, 0, value, reg), body);
}

void ThreadWriter::fill(std::size_t jump, const std::function<void()>& body) {
    body();
    if (code_.size() == jump + 1) {
        code_.pop_back();  // an if around nothing
    } else {
        patch(jump);
    }
}

void ThreadWriter::holding(Guard guard, const std::function<void()>& body) {
    held_.push_back(guard);
    body();
    std::erase_if(
        held_, [&](const Guard& held) { return held.operand == guard.operand && held.index == guard.index; });
}

bool ThreadWriter::holds(Operand operand, int index) const {
    return std::any_of(held_.begin(), held_.end(),
                       [&](const Guard& held) { return held.operand == operand && held.index == index; });
}

int ThreadWriter::some_free(Operand operand) {
    const int first = some(operand);
    const int count = object_count(program_, operand);
    for (int offset = 0; offset < count; ++offset) {
        if (const int index = (first + offset) % count; !holds(operand, index)) {
            return index;
        }
    }
    return none;
}

int ThreadWriter::some_mutex_where(bool (*wanted)(const MutexDeclaration&)) {
    const int first = some(Operand::Mutex);
    const int count = object_count(program_, Operand::Mutex);
    for (int offset = 0; offset < count; ++offset) {
        const int index = (first + offset) % count;
        if (wanted(program_.mutexes[static_cast<std::size_t>(index)]) && !holds(Operand::Mutex, index)) {
            return index;
        }
    }
    return none;
}

int ThreadWriter::some_signalling_semaphore() {
    // The first one protects data, if there are several.
    const int count = object_count(program_, Operand::Semaphore);
    return count > 1 ? random_.between(1, count - 1) : 0;
}

int ThreadWriter::some_known_thread() {
    std::vector<int> known = to_settle_;
    if (thread_ > 0) {
        const int parent = layout_.parent[static_cast<std::size_t>(thread_)];
        for (const int sibling : layout_.children[static_cast<std::size_t>(parent)]) {
            if (sibling == thread_) {
                break;
            }
            known.push_back(sibling);
        }
        known.push_back(random_.chance(50) ? thread_ : 0);
    }
    return known.empty() ? thread_
                         : known[static_cast<std::size_t>(random_.below(static_cast<int>(known.size())))];
}

void ThreadWriter::statement(int depth) {
    int total = 0;
    const auto weight_of = [&](const Habit& habit) {
        const bool possible = habit.needs == Operand::None || object_count(program_, habit.needs) > 0;
        return possible ? shape_.habits.*habit.weight : 0;
    };
    for (const Habit& habit : table()) {
        total += weight_of(habit);
    }
    if (total == 0 || depth > deepest || over_) {
        return;
    }
    constexpr int attempts = 3;  // some habits do nothing where they make no sense
    const std::size_t size = code_.size();
    for (int attempt = 0; attempt < attempts && code_.size() == size; ++attempt) {
        int draw = random_.below(total);
        for (const Habit& habit : table()) {
            draw -= weight_of(habit);
            if (draw < 0) {
                (this->*habit.write)(depth);
                break;
            }
        }
    }
}

/// What happens while a lock is held.
void ThreadWriter::contents(int depth) {
    bool anything = random_.chance(85) && guarded_data();
    if (depth < deepest && random_.chance(shape_.nesting)) {
        const std::size_t size = code_.size();
        statement(depth + 1);
        anything = anything || code_.size() > size;
    }
    if (!anything || random_.chance(25)) {
        guarded_data();
    }
}

bool ThreadWriter::guarded_data() {
    std::vector<std::pair<int, bool>> candidates;
    for (std::size_t variable = 0; variable < layout_.guards.size(); ++variable) {
        for (const Guard& held : held_) {
            if (held.operand == layout_.guards[variable].operand &&
                held.index == layout_.guards[variable].index) {
                candidates.emplace_back(static_cast<int>(variable), held.shared);
            }
        }
    }
    if (candidates.empty()) {
        return false;
    }
    const auto [variable, only_read] =
        candidates[static_cast<std::size_t>(random_.below(static_cast<int>(candidates.size())))];
    const bool is_flag = std::find(layout_.condition_flag.begin(), layout_.condition_flag.end(), variable) !=
                         layout_.condition_flag.end();
    data(variable, only_read || is_flag);  // a flag stays set once it is
    return true;
}

void ThreadWriter::data(int variable, bool only_read) {
    const int kind = only_read ? 0 : random_.below(3);
    if (kind == 1) {
        emit(Opcode::Write, variable, random_.between(1, 3));
        return;
    }
    const int reg = some_register();
    emit(Opcode::Read, variable, 0, reg);
    if (kind == 2) {
        emit(Opcode::WriteRegister, variable, 1, reg);
    } else if (random_.chance(shape_.assertions)) {
        const bool equal = random_.chance(50);
        emit(equal ? Opcode::AssertEqual : Opcode::AssertNotEqual, 0, random_.below(3), reg);
    }
}

}  // namespace coopcheck::testing
