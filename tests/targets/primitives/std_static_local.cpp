// Two variables in functions, each of which needs the other one to be made.
#include <thread>

static int left(bool deep);

static int right(bool deep) {
    static const int value = deep ? left(false) + 1 : 1;
    return value;
}

static int left(bool deep) {
#ifdef FIXED
    static const int value = 1;
    (void)deep;
#else
    static const int value = deep ? right(false) + 1 : 1;  // BUG
#endif
    return value;
}

int main() {
    std::thread other([] { right(true); });
    left(true);
    other.join();
}
