// Programs on fibers: an interpreter of the bytecode that calls the fiber API.
#include <array>
#include <memory>
#include <utility>

#include "core/check.hpp"
#include "tests/support/program.hpp"

namespace coopcheck::testing {

namespace {

/// Its places in the code, as the sites of operations.
constexpr std::uint64_t sites_per_thread = 1000;

/// What the threads of one run share.
struct Shared {
    std::shared_ptr<const Program> program;
    std::vector<Mutex> mutexes;
    std::vector<Condition> conditions;
    std::vector<RwLock> rwlocks;
    std::vector<Spin> spins;
    std::vector<Semaphore> semaphores;
    std::vector<Barrier> barriers;
    std::vector<Once> onces;
    std::vector<Var> variables;
    std::array<ThreadId, max_threads> threads;

    Shared(std::shared_ptr<const Program> text, Api& api) : program(std::move(text)) {
        for (const MutexDeclaration& mutex : program->mutexes) {
            const std::string name = object_name(Operand::Mutex, static_cast<int>(mutexes.size()));
            mutexes.push_back(mutex.robust ? api.robust_mutex(name, mutex.kind)
                                           : api.mutex(name, mutex.kind));
        }
        for (int index = 0; index < program->conditions; ++index) {
            conditions.push_back(api.condition(object_name(Operand::Condition, index)));
        }
        for (const RwPolicy policy : program->rwlocks) {
            rwlocks.push_back(
                api.rwlock(object_name(Operand::RwLock, static_cast<int>(rwlocks.size())), policy));
        }
        for (int index = 0; index < program->spins; ++index) {
            spins.push_back(api.spin(object_name(Operand::Spin, index)));
        }
        for (const int value : program->semaphores) {
            semaphores.push_back(
                api.semaphore(object_name(Operand::Semaphore, static_cast<int>(semaphores.size())), value));
        }
        for (const int count : program->barriers) {
            barriers.push_back(
                api.barrier(object_name(Operand::Barrier, static_cast<int>(barriers.size())), count));
        }
        for (int index = 0; index < program->onces; ++index) {
            onces.push_back(api.once(object_name(Operand::Once, index)));
        }
        for (const int value : program->variables) {
            variables.push_back(
                api.var(object_name(Operand::Variable, static_cast<int>(variables.size())), value));
        }
        threads[0] = main_thread;
    }
};

class Thread {
  public:
    Thread(Api& api, std::shared_ptr<Shared> shared, int number)
        : api_(api),
          shared_(std::move(shared)),
          number_(number),
          code_(shared_->program->threads[static_cast<std::size_t>(number)]) {}
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;
    /// A cancelled thread has registers, too.
    ~Thread() {
        for (const std::int64_t value : registers_) {
            api_.record(value);
        }
    }

    void run() { run(0, static_cast<int>(code_.size())); }

  private:
    void run(int place, int end) {
        while (place != end) {
            const Instruction& instruction = code_[static_cast<std::size_t>(place)];
            api_.at(static_cast<std::uint64_t>(number_) * sites_per_thread +
                    static_cast<std::uint64_t>(place) + 1);
            switch (instruction.code) {
                case Opcode::Jump:
                    place = instruction.target;
                    continue;
                case Opcode::JumpIfEqual:
                    place = reg(instruction) == instruction.value ? instruction.target : place + 1;
                    continue;
                case Opcode::JumpIfNotEqual:
                    place = reg(instruction) != instruction.value ? instruction.target : place + 1;
                    continue;
                case Opcode::OnceEnter:
                    api_.call_once(object(shared_->onces, instruction),
                                   [&] { run(place + 1, instruction.target - 1); });
                    place = instruction.target;
                    continue;
                case Opcode::TrustedBegin:
                    api_.trusted([&] { run(place + 1, instruction.target - 1); });
                    place = instruction.target;
                    continue;
                case Opcode::AssertEqual:
                    api_.check(reg(instruction) == instruction.value,
                               assertion_text(number_, place, instruction));
                    break;
                case Opcode::AssertNotEqual:
                    api_.check(reg(instruction) != instruction.value,
                               assertion_text(number_, place, instruction));
                    break;
                case Opcode::Create:
                    create(instruction.object);
                    put(instruction, 0);
                    break;
                case Opcode::Join:
                case Opcode::TimedJoin:
                case Opcode::TryJoin:
                case Opcode::Detach:
                case Opcode::Cancel:
                    put(instruction, on_thread(instruction));
                    break;
                default:
                    put(instruction, carry_out(instruction));
                    break;
            }
            ++place;
        }
    }

    void create(int number) {
        const auto body = [&api = api_, shared = shared_, number] { Thread(api, shared, number).run(); };
        shared_->threads[static_cast<std::size_t>(number)] = api_.create(body);
    }

    int on_thread(const Instruction& instruction) {
        const ThreadId thread = shared_->threads[static_cast<std::size_t>(instruction.object)];
        switch (instruction.code) {
            case Opcode::Join:
                return api_.join(thread);
            case Opcode::TimedJoin:
                return api_.timedjoin(thread);
            case Opcode::TryJoin:
                return api_.tryjoin(thread);
            case Opcode::Detach:
                return api_.detach(thread);
            default:
                return api_.cancel(thread);
        }
    }

    std::int64_t carry_out(const Instruction& instruction) {
        const auto mutex = [&] { return object(shared_->mutexes, instruction); };
        const auto condition = [&] { return object(shared_->conditions, instruction); };
        const auto its_mutex = [&] { return shared_->mutexes[static_cast<std::size_t>(instruction.value)]; };
        const auto rwlock = [&] { return object(shared_->rwlocks, instruction); };
        const auto spin = [&] { return object(shared_->spins, instruction); };
        const auto semaphore = [&] { return object(shared_->semaphores, instruction); };
        const auto barrier = [&] { return object(shared_->barriers, instruction); };
        const auto variable = [&] { return object(shared_->variables, instruction); };
        // clang-format off
        switch (instruction.code) {
            case Opcode::Lock:             return api_.lock(mutex());
            case Opcode::TryLock:          return api_.trylock(mutex());
            case Opcode::TimedLock:        return api_.timedlock(mutex());
            case Opcode::Unlock:           return api_.unlock(mutex());
            case Opcode::Consistent:       return api_.consistent(mutex());
            case Opcode::DestroyMutex:     return api_.destroy(mutex());
            case Opcode::Wait:             return api_.wait(condition(), its_mutex());
            case Opcode::TimedWait:        return api_.timedwait(condition(), its_mutex());
            case Opcode::Signal:           return api_.signal(condition());
            case Opcode::Broadcast:        return api_.broadcast(condition());
            case Opcode::DestroyCondition: return api_.destroy(condition());
            case Opcode::ReadLock:         return api_.rdlock(rwlock());
            case Opcode::TryReadLock:      return api_.tryrdlock(rwlock());
            case Opcode::TimedReadLock:    return api_.timedrdlock(rwlock());
            case Opcode::WriteLock:        return api_.wrlock(rwlock());
            case Opcode::TryWriteLock:     return api_.trywrlock(rwlock());
            case Opcode::TimedWriteLock:   return api_.timedwrlock(rwlock());
            case Opcode::RwUnlock:         return api_.rwunlock(rwlock());
            case Opcode::DestroyRwLock:    return api_.destroy(rwlock());
            case Opcode::SpinLock:         return api_.spin_lock(spin());
            case Opcode::SpinTryLock:      return api_.spin_trylock(spin());
            case Opcode::SpinUnlock:       return api_.spin_unlock(spin());
            case Opcode::DestroySpin:      return api_.destroy(spin());
            case Opcode::SemWait:          return api_.sem_wait(semaphore());
            case Opcode::SemTryWait:       return api_.sem_trywait(semaphore());
            case Opcode::SemTimedWait:     return api_.sem_timedwait(semaphore());
            case Opcode::SemPost:          return api_.sem_post(semaphore());
            case Opcode::SemGetValue:      return api_.sem_getvalue(semaphore());
            case Opcode::DestroySemaphore: return api_.destroy(semaphore());
            case Opcode::BarrierWait:      return api_.barrier_wait(barrier());
            case Opcode::DestroyBarrier:   return api_.destroy(barrier());
            case Opcode::FutexWait:        return api_.futex_wait(variable(), instruction.value);
            case Opcode::FutexTimedWait:   return api_.futex_timedwait(variable(), instruction.value);
            case Opcode::FutexWake:        return api_.futex_wake(variable(), instruction.value);
            case Opcode::Choose:           return api_.choose(instruction.value);
            case Opcode::Read:             return api_.read(variable());
            case Opcode::FetchAdd:         return api_.fetch_add(variable(), instruction.value);
            case Opcode::Sleep:            api_.sleep(); return 0;
            case Opcode::Yield:            api_.yield(); return 0;
            case Opcode::Write:            api_.write(variable(), instruction.value); return 0;
            case Opcode::WriteRegister:    api_.write(variable(), reg(instruction) + instruction.value); return reg(instruction);
            case Opcode::Exit:             api_.exit(instruction.value);
            case Opcode::Set:              return instruction.value;
            case Opcode::Add:              return reg(instruction) + instruction.value;
            default:                       break;
        }
        // clang-format on
        COOPCHECK_CHECK(false, "an instruction that is not carried out this way");
    }

    template <typename Object>
    static Object object(const std::vector<Object>& all, const Instruction& instruction) {
        return all[static_cast<std::size_t>(instruction.object)];
    }
    [[nodiscard]] std::int64_t reg(const Instruction& instruction) const {
        return registers_[static_cast<std::size_t>(instruction.reg)];
    }
    void put(const Instruction& instruction, std::int64_t value) {
        if (instruction.reg >= 0) {
            registers_[static_cast<std::size_t>(instruction.reg)] = value;
        }
    }

    Api& api_;
    std::shared_ptr<Shared> shared_;
    int number_;
    const std::vector<Instruction>& code_;
    std::array<std::int64_t, register_count> registers_{};
};

}  // namespace

FiberProgram to_fibers(const Program& program) {
    const auto wrong = problem(program);
    COOPCHECK_CHECK(!wrong, *wrong);
    return {[text = std::make_shared<const Program>(program)](Api& api) {
        Thread(api, std::make_shared<Shared>(text, api), 0).run();
    }};
}

}  // namespace coopcheck::testing
