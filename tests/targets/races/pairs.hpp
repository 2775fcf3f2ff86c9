// What the programs about races in C++ have in common: pairs of a racy and a fixed program, the first
// argument is the name, the second "racy" or "fixed"; "list" alone prints the names.
#pragma once

#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <thread>

inline bool fixed;
inline std::mutex mutex;
inline thread_local volatile int sink;

/// One read and one write, whatever the compiler thinks of it.
inline void increase(int& number) {
    volatile int& same = number;
    same = same + 1;
}
inline int look_at(const int& number) { return *static_cast<const volatile int*>(&number); }
inline void change(int& number, int value) { *static_cast<volatile int*>(&number) = value; }

/// Holds the mutex in the fixed program. Not inlined: a compiler that sees that there may be no lock reads
/// memory before it.
[[gnu::noinline]] inline std::unique_lock<std::mutex> guard() {
    return fixed ? std::unique_lock(mutex) : std::unique_lock<std::mutex>();
}

template <typename First, typename Second>
void run(First first, Second second) {
    std::thread one(first);
    std::thread other(second);
    one.join();
    other.join();
}

/// Both with the mutex in the fixed program.
template <typename First, typename Second>
void run_guarded(First first, Second second) {
    run(
        [first] {
            const auto lock = guard();
            first();
        },
        [second] {
            const auto lock = guard();
            second();
        });
}

using Pairs = std::map<std::string, void (*)()>;

/// What main returns.
inline int run_chosen(const Pairs& pairs, int argc, char** argv) {
    if (argc == 2 && std::string(argv[1]) == "list") {
        for (const auto& [name, function] : pairs) std::puts(name.c_str());
        return 0;
    }
    if (argc < 3) return 2;
    fixed = std::string(argv[2]) == "fixed";
    const auto found = pairs.find(argv[1]);
    if (found == pairs.end()) return 2;
    found->second();
    return 0;
}
