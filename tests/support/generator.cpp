#include "tests/support/generator.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "tests/support/random.hpp"
#include "tests/support/thread_writer.hpp"

namespace coopcheck::testing {

namespace {

void declare_objects(Program& program, const Shape& shape, int threads, Random& random) {
    for (int index = 0; index < shape.mutexes; ++index) {
        MutexDeclaration mutex;
        if (shape.recursive && random.chance(50)) {
            mutex.kind = MutexKind::Recursive;
        } else if (shape.error_checking && random.chance(60)) {
            mutex.kind = MutexKind::ErrorChecking;
        }
        mutex.robust = shape.robust && random.chance(60);
        program.mutexes.push_back(mutex);
    }
    program.conditions = shape.mutexes > 0 ? shape.conditions : 0;
    for (int index = 0; index < shape.rwlocks; ++index) {
        const bool writer = shape.prefer_writer && random.chance(50);
        program.rwlocks.push_back(writer ? RwPolicy::PreferWriter : RwPolicy::PreferReader);
    }
    program.spins = shape.spins;
    for (int index = 0; index < shape.semaphores; ++index) {
        program.semaphores.push_back(index == 0 ? 1 : random.below(2));
    }
    for (int index = 0; index < shape.barriers; ++index) {
        const bool for_all = random.chance(85);
        program.barriers.push_back(for_all ? threads : random.between(2, std::max(threads, 2)));
    }
    program.onces = shape.onces;
    program.variables.assign(
        static_cast<std::size_t>(shape.variables) + static_cast<std::size_t>(program.conditions), 0);
}

Layout lay_out(const Program& program, const Shape& shape, int threads, Random& random) {
    Layout layout;
    std::vector<Guard> locks;
    for (const Operand operand : {Operand::Mutex, Operand::RwLock, Operand::Spin}) {
        for (int index = 0; index < object_count(program, operand); ++index) {
            locks.push_back({operand, index});
        }
    }
    if (!program.semaphores.empty() && shape.habits.semaphore_section > 0) {
        locks.push_back({Operand::Semaphore, 0});
    }
    // In turn, so that there is something to protect for as many locks as possible.
    std::size_t next =
        locks.empty() ? 0 : static_cast<std::size_t>(random.below(static_cast<int>(locks.size())));
    for (int variable = 0; variable < shape.variables; ++variable) {
        layout.guards.push_back(locks.empty() ? Guard{} : locks[next++ % locks.size()]);
    }
    for (int condition = 0; condition < program.conditions; ++condition) {
        layout.condition_mutex.push_back(random.below(shape.mutexes));
        layout.condition_flag.push_back(static_cast<int>(layout.guards.size()));
        layout.guards.push_back({Operand::Mutex, layout.condition_mutex.back()});
    }
    layout.children.resize(static_cast<std::size_t>(threads));
    layout.parent.assign(static_cast<std::size_t>(threads), 0);
    for (int thread = 1; thread < threads; ++thread) {
        const bool by_another = thread > 1 && random.chance(shape.grandchildren);
        const int parent = by_another ? random.between(1, thread - 1) : 0;
        layout.parent[static_cast<std::size_t>(thread)] = parent;
        layout.children[static_cast<std::size_t>(parent)].push_back(thread);
    }
    return layout;
}

}  // namespace

Program generate(std::uint64_t seed, const Shape& shape) {
    // The name takes part, so that families do not repeat each other's programs.
    std::uint64_t mixed = seed;
    for (const char letter : shape.name) {
        mixed = Random(mixed + static_cast<unsigned char>(letter)).next();
    }
    Random random(mixed);
    Program program;
    const int threads = random.between(shape.min_threads, shape.max_threads);
    declare_objects(program, shape, threads, random);
    const Layout layout = lay_out(program, shape, threads, random);
    program.threads.resize(static_cast<std::size_t>(threads));
    for (int thread = 0; thread < threads; ++thread) {
        const int fewest = std::min(6, shape.operations);
        const int most = std::max(fewest, std::min(shape.operations, shape.total_operations / threads));
        const int children = static_cast<int>(layout.children[static_cast<std::size_t>(thread)].size());
        const int budget = random.between(fewest, most) + children;
        program.threads[static_cast<std::size_t>(thread)] =
            ThreadWriter(random, shape, layout, program, thread).write(budget);
    }
    const auto wrong = problem(program);
    COOPCHECK_CHECK(!wrong,
                    "a bad program from seed " + std::to_string(seed) + " of " + shape.name + ": " + *wrong);
    return program;
}

}  // namespace coopcheck::testing
