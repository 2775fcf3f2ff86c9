// Two transfers in opposite directions, each locking its own account first: a deadlock. See bank_fixed.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

struct Account {
    std::mutex mutex;
    int balance = 100;
};

void transfer(Account& from, Account& to, int amount) {
    const std::lock_guard source(from.mutex);
    const std::lock_guard destination(to.mutex);
    from.balance -= amount;
    to.balance += amount;
}

}  // namespace

int main() {
    Account a, b;
    std::thread first([&] { transfer(a, b, 30); });
    std::thread second([&] { transfer(b, a, 10); });
    first.join();
    second.join();
    assert(a.balance == 80 && b.balance == 120);
}
