// bank with the accounts locked in the order of their numbers, whichever way the money goes.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

struct Account {
    explicit Account(int its_number) : number(its_number) {}
    int number;
    std::mutex mutex;
    int balance = 100;
};

void transfer(Account& from, Account& to, int amount) {
    const std::lock_guard lower(from.number < to.number ? from.mutex : to.mutex);
    const std::lock_guard higher(from.number < to.number ? to.mutex : from.mutex);
    from.balance -= amount;
    to.balance += amount;
}

}  // namespace

int main() {
    Account a(1), b(2);
    std::thread first([&] { transfer(a, b, 30); });
    std::thread second([&] { transfer(b, a, 10); });
    first.join();
    second.join();
    assert(a.balance == 80 && b.balance == 120);
}
