// Which thread makes the variable decides its value.
#include <cassert>
#include <thread>

static int setting(int wanted) {
#ifdef FIXED
    wanted = 1;
#endif
    static const int value = [](int first) { return first; }(wanted);
    return value;
}

int main() {
    std::thread other([] { setting(2); });
    const int seen = setting(1);
    other.join();
    assert(seen == 1);  // BUG
}
