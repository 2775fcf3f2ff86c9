// A function that locks by itself, called with the locks in the other order.
#include <mutex>
#include <thread>

static std::recursive_mutex accounts;
static std::mutex journal;

static void write_journal() {
    const std::lock_guard account(accounts);
    const std::lock_guard guard(journal);  // BUG
}

static void transfer() {
    const std::lock_guard account(accounts);
    write_journal();
}

int main() {
    std::thread other(transfer);
    {
#ifdef FIXED
        const std::lock_guard account(accounts);
#endif
        const std::lock_guard guard(journal);
        const std::lock_guard again(accounts);
    }
    other.join();
}
