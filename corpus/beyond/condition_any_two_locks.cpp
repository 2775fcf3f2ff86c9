// A condition_variable_any takes any lock, also a different one in each place: who waits holds the lock of the reader,
// who notifies that of the writer, and the notice can come between looking and waiting.
// One preemption: the waiting thread between the two.
// Fixed: one lock.
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

std::condition_variable_any changed;
std::mutex readers;
#ifndef FIXED
std::shared_mutex writers;
#endif
volatile bool is_ready;  // by two locks, which is by none

void wait_until_ready() {
    std::unique_lock lock(readers);
    while (!is_ready) changed.wait(lock);  // BUG
}

void make_ready() {
#ifdef FIXED
    const std::lock_guard lock(readers);
#else
    const std::unique_lock lock(writers);
#endif
    is_ready = true;
    changed.notify_all();
}

}  // namespace

int main() {
    std::thread waiting(wait_until_ready);
    std::thread making(make_ready);
    waiting.join();
    making.join();
}
