// A client sends a request and then enters what waits for the answer into a table. An answer that is faster than that is
// for nobody, is dropped, and the future is never satisfied.
// One preemption: the client between sending and entering.
// Fixed: entered first.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "corpus/threads.h"

namespace {

class Server {
public:
    std::future<int> ask(int number) {
        std::promise<int> promise;
        std::future<int> answer = promise.get_future();
#ifdef FIXED
        enter(number, std::move(promise));
        send(number);
#else
        send(number);
        enter(number, std::move(promise));
#endif
        return answer;
    }

    void serve(int requests) {
        for (int i = 0; i < requests; ++i) {
            const int number = receive();
            const std::lock_guard lock(table_mutex_);
            const auto waiting = table_.find(number);
            if (waiting == table_.end()) continue;
            waiting->second.set_value(number * number);
        }
    }

private:
    void send(int number) {
        const std::lock_guard lock(queue_mutex_);
        queue_.push_back(number);
        filled_.notify_one();
    }

    int receive() {
        std::unique_lock lock(queue_mutex_);
        filled_.wait(lock, [&] { return !queue_.empty(); });
        const int number = queue_.front();
        queue_.pop_front();
        return number;
    }

    void enter(int number, std::promise<int> promise) {
        const std::lock_guard lock(table_mutex_);
        table_.emplace(number, std::move(promise));
    }

    std::mutex queue_mutex_;
    std::condition_variable filled_;
    std::deque<int> queue_;
    std::mutex table_mutex_;
    std::map<int, std::promise<int>> table_;
};

}  // namespace

// future_never_satisfied [CLIENTS]
int main(int count, char** arguments) {
    const int clients = number_argument(count, arguments, 1, 1, 1, most_threads);
    Server server;
    std::thread serving([&] { server.serve(clients); });
    std::vector<std::thread> threads;
    for (int i = 1; i <= clients; ++i) {
        threads.emplace_back([&server, i] {
            const int answer = server.ask(i).get();  // BUG
            assert(answer == i * i);
        });
    }
    for (std::thread& thread : threads) thread.join();
    serving.join();
}
