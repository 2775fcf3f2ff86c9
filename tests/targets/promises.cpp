// One promise after the other, each at the place in memory where the one before was.
#include <cstdio>
#include <future>
#include <thread>

int main() {
    int sum = 0;
    for (int round = 1; round <= 3; ++round) {
        std::promise<int> promise;
        std::future<int> future = promise.get_future();
        std::thread keeper([&] { promise.set_value(round); });
        sum += future.get();
        keeper.join();
    }
    std::printf("%d\n", sum);
}
