// A source calls its observers with its lock held; an observer that is changed takes its own lock and asks the source:
// two locks in two orders, in two classes that know nothing of each other's.
// One preemption: a thread between the two locks.
// Fixed: the source calls without its lock.
#include <cassert>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace {

class Source {
public:
    void observe(std::function<void(int)> observer) {
        const std::lock_guard lock(mutex_);
        observers_.push_back(std::move(observer));
    }

    void set(int value) {
        std::unique_lock lock(mutex_);
        value_ = value;
        const std::vector<std::function<void(int)>> observers = observers_;
#ifdef FIXED
        lock.unlock();
#endif
        for (const auto& observer : observers) observer(value);
    }

    int get() {
        const std::lock_guard lock(mutex_);
        return value_;
    }

private:
    std::mutex mutex_;
    int value_ = 0;
    std::vector<std::function<void(int)>> observers_;
};

class Display {
public:
    explicit Display(Source& source) : source_(source) {
        source_.observe([this](int value) { show(value); });
    }

    void show(int value) {
        const std::lock_guard lock(mutex_);  // BUG
        shown_ = value;
    }

    void refresh() {
        const std::lock_guard lock(mutex_);
        shown_ = source_.get();
    }

private:
    Source& source_;
    std::mutex mutex_;
    int shown_ = 0;
};

}  // namespace

int main() {
    Source source;
    Display display(source);
    std::thread setting([&] { source.set(5); });
    std::thread refreshing([&] { display.refresh(); });
    setting.join();
    refreshing.join();
    assert(source.get() == 5);
}
