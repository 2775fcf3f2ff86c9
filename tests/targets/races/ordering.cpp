// Pairs about what the standard library of C++ has to order accesses.
#include <array>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <stop_token>
#include <thread>

#include "pairs.hpp"

namespace {

void promise_and_future() {
    static int data;
    std::promise<void> promise;
    std::future<void> future = promise.get_future();
    std::thread first([&] {
        change(data, 7);
        promise.set_value();
    });
    if (fixed) future.wait();
    sink = look_at(data);
    first.join();
}

void async_result() {
    static int data;
    std::future<void> future = std::async(std::launch::async, [] { increase(data); });
    if (fixed) future.get();
    sink = look_at(data);
}

void latch() {
    static int data;
    static std::latch ready(1);
    run(
        [] {
            if (fixed) change(data, 7);
            ready.count_down();
            if (!fixed) change(data, 7);
        },
        [] {
            ready.wait();
            sink = look_at(data);
        });
}

void barrier() {
    static std::array<int, 2> data{};
    static std::barrier<> meeting(2);
    const auto work = [](std::size_t me) {
        if (fixed) change(data[me], 1);
        meeting.arrive_and_wait();
        if (!fixed) change(data[me], 1);
        sink = look_at(data[1 - me]);
    };
    run([=] { work(0); }, [=] { work(1); });
}

void counting_semaphore() {
    static int data;
    static std::counting_semaphore<> items(0);
    run(
        [] {
            if (fixed) change(data, 7);
            items.release();
            if (!fixed) change(data, 7);
        },
        [] {
            items.acquire();
            sink = look_at(data);
        });
}

void atomic_wait() {
    static int data;
    static std::atomic<int> ready{0};
    run(
        [] {
            if (fixed) change(data, 7);
            ready.store(1);
            ready.notify_all();
            if (!fixed) change(data, 7);
        },
        [] {
            ready.wait(0);
            sink = look_at(data);
        });
}

void atomic_reference() {
    static int data;
    const auto add = [] {
        if (fixed) {
            std::atomic_ref(data).fetch_add(1);
        } else {
            increase(data);
        }
    };
    run(add, add);
}

void stop_token() {
    static bool plain_stop;
    std::jthread worker([](const std::stop_token& token) {
        for (int i = 0; i < 3; ++i) {
            if (fixed ? token.stop_requested() : *static_cast<volatile bool*>(&plain_stop)) return;
        }
    });
    if (fixed) {
        worker.request_stop();
    } else {
        *static_cast<volatile bool*>(&plain_stop) = true;
    }
}

void lambda_capture() {
    int local = 0;
    std::thread first;
    if (fixed) {
        first = std::thread([local]() mutable { increase(local); });
    } else {
        first = std::thread([&local] { increase(local); });
    }
    increase(local);
    first.join();
}

void scoped_lock_of_two() {
    static std::mutex other;
    static int data;
    run(
        [] {
            const std::scoped_lock both(mutex, other);
            increase(data);
        },
        [] {
            if (fixed) {
                const std::scoped_lock one(other);
                increase(data);
            } else {
                increase(data);
            }
        });
}

const Pairs all{
    {"async", async_result},
    {"atomic_reference", atomic_reference},
    {"atomic_wait", atomic_wait},
    {"barrier", barrier},
    {"counting_semaphore", counting_semaphore},
    {"lambda_capture", lambda_capture},
    {"latch", latch},
    {"promise", promise_and_future},
    {"scoped_lock", scoped_lock_of_two},
    {"stop_token", stop_token},
};

}  // namespace

int main(int argc, char** argv) { return run_chosen(all, argc, argv); }
