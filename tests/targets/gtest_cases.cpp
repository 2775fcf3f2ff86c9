// What GoogleTest does with --gtest_list_tests, --gtest_filter and a failure, in words of its own.
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

namespace {

std::mutex mutex;

int lose_an_addition() {
    int sum = 0;
    const auto add = [&] {
        mutex.lock();
        const int seen = sum;
        mutex.unlock();
        mutex.lock();
        sum = seen + 1;
        mutex.unlock();
    };
    std::thread first(add);
    std::thread second(add);
    first.join();
    second.join();
    return sum;
}

}  // namespace

int main(int argc, char** argv) {
    std::string filter;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--gtest_list_tests") == 0) {
            std::puts("Running main() from somewhere");
            std::puts(
                "Sum.\n  Good\n  Bad\n  DISABLED_Never\nSum/0.  # TypeParam = int\n  Typed  # GetParam() = "
                "3");
            return 0;
        }
        if (std::strncmp(argv[i], "--gtest_filter=", 15) == 0) filter = argv[i] + 15;
    }
    if (filter == "Sum.Bad") {
        const int sum = lose_an_addition();
        if (sum == 2) return 0;
        std::printf(
            "sum.cpp:12: Failure\nExpected equality of these values:\n  sum\n    Which is: %d\n  2\n\n", sum);
        return 1;
    }
    return filter == "Sum.Good" || filter == "Sum/0.Typed" ? 0 : 9;
}
