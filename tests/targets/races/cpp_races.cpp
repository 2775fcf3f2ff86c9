// Pairs of small C++ programs about all sorts of races.
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "pairs.hpp"

namespace {

void vector_grows() {
    static std::vector<int> numbers;
    const auto add = [] {
        const auto lock = guard();
        numbers.push_back(1);
    };
    std::thread first(add);
    std::thread second(add);
    first.join();
    second.join();
}

void map_grows() {
    static std::map<int, int> numbers;
    const auto add = [](int key) {
        const auto lock = guard();
        numbers[key] = 1;
    };
    std::thread first(add, 1);
    std::thread second(add, 2);
    first.join();
    second.join();
}

void deque_as_queue() {
    static std::deque<int> queue;
    std::thread first([] {
        const auto lock = guard();
        queue.push_back(1);
    });
    std::thread second([] {
        const auto lock = guard();
        sink = static_cast<int>(queue.size());
    });
    first.join();
    second.join();
}

void string_grows() {
    static std::string text;
    const auto add = [] {
        const auto lock = guard();
        text += 'x';
    };
    std::thread first(add);
    std::thread second(add);
    first.join();
    second.join();
}

// The count of references is atomic, the pointer is not.
void shared_pointer() {
    static std::shared_ptr<int> shared = std::make_shared<int>(1);
    std::thread first([own = shared] { sink = *own; });
    std::thread second([] {
        if (fixed) return;
        shared = std::make_shared<int>(2);
    });
    const std::shared_ptr<int> copy = shared;
    sink = *copy;
    first.join();
    second.join();
}

struct Settings {
    int value = 7;
};

Settings& settings() {
    if (fixed) {
        static Settings once;
        return once;
    }
    static Settings* made = nullptr;
    if (made == nullptr) made = new Settings;
    return *made;
}

void static_local() {
    const auto use = [] { sink = settings().value; };
    std::thread first(use);
    std::thread second(use);
    first.join();
    second.join();
}

// Published by a release store, which is an ordinary instruction on this processor.
void release_acquire() {
    static int data;
    static std::atomic<bool> ready{false};
    static bool plain_ready;
    std::thread first([] {
        data = 7;
        if (fixed) {
            ready.store(true, std::memory_order_release);
        } else {
            *static_cast<volatile bool*>(&plain_ready) = true;
        }
    });
    std::thread second([] {
        const bool seen =
            fixed ? ready.load(std::memory_order_acquire) : *static_cast<volatile bool*>(&plain_ready);
        if (seen) sink = data;
    });
    first.join();
    second.join();
}

void call_once() {
    static std::once_flag flag;
    static int data;
    const auto use = [] {
        if (fixed) {
            std::call_once(flag, [] { data = 7; });
        } else {
            data = 7;
        }
        sink = data;
    };
    std::thread first(use);
    std::thread second(use);
    first.join();
    second.join();
}

void shared_mutex() {
    static std::shared_mutex lock;
    static int data;
    std::thread first([] {
        if (fixed) {
            const std::unique_lock writing(lock);
            data++;
        } else {
            const std::shared_lock reading(lock);
            data++;
        }
    });
    std::thread second([] {
        const std::shared_lock reading(lock);
        sink = data;
    });
    first.join();
    second.join();
}

void condition_variable() {
    static std::condition_variable condition;
    static bool ready;
    static int data;
    std::thread first([] {
        data = 7;
        const std::scoped_lock lock(mutex);
        ready = true;
        condition.notify_one();
    });
    std::thread second([] {
        if (!fixed) sink = data;
        std::unique_lock lock(mutex);
        condition.wait(lock, [] { return ready; });
        sink = data;
    });
    first.join();
    second.join();
}

void atomic_counter() {
    static std::atomic<int> counted{0};
    static int plain;
    const auto count = [] {
        if (fixed) {
            counted++;
        } else {
            increase(plain);
        }
    };
    std::thread first(count);
    std::thread second(count);
    first.join();
    second.join();
    sink = counted.load(std::memory_order_relaxed) + plain;
}

void argument_by_reference() {
    int local = 0;
    std::thread first([&] { increase(local); });
    if (fixed) first.join();
    sink = *static_cast<volatile int*>(&local);
    if (!fixed) first.join();
}

void atomic_flag() {
    static std::atomic_flag lock = ATOMIC_FLAG_INIT;
    static int data;
    const auto work = [] {
        if (fixed) {
            while (lock.test_and_set(std::memory_order_acquire)) {
            }
        }
        increase(data);
        if (fixed) lock.clear(std::memory_order_release);
    };
    std::thread first(work);
    std::thread second(work);
    first.join();
    second.join();
}

const Pairs all{
    {"vector", vector_grows},
    {"map", map_grows},
    {"deque", deque_as_queue},
    {"string", string_grows},
    {"shared_pointer", shared_pointer},
    {"static_local", static_local},
    {"release_acquire", release_acquire},
    {"call_once", call_once},
    {"shared_mutex", shared_mutex},
    {"condition_variable", condition_variable},
    {"atomic_counter", atomic_counter},
    {"argument", argument_by_reference},
    {"atomic_flag", atomic_flag},
};

}  // namespace

int main(int argc, char** argv) { return run_chosen(all, argc, argv); }
