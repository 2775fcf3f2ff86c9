// A thread whose code is a lambda of a constructor: debug information hides it inside the constructor.
#include <mutex>
#include <thread>

class Worker {
  public:
    Worker()
        : thread_([this] {
              const std::unique_lock<std::mutex> lock(mutex_);
              done_ = true;
          }) {}
    ~Worker() { thread_.join(); }

  private:
    std::mutex mutex_;
    bool done_ = false;
    std::thread thread_;
};

int main() { const Worker worker; }
