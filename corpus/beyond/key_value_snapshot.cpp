// A key-value store in memory, in shards with a lock each. A transaction puts several keys, which may be in different
// shards, with all their locks (in order); a snapshot copies shard after shard, and can have one half of a transaction.
// One preemption: a snapshot between two shards.
// Fixed: the snapshot holds all locks, in the same order.
#include <array>
#include <cassert>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "corpus/threads.h"

namespace {

class Store {
public:
    using Values = std::map<std::string, int>;

    void put_all(const Values& values) {
        std::vector<std::unique_lock<std::mutex>> locks = lock_all();
        for (const auto& [key, value] : values) shard_of(key).values[key] = value;
        unlock_backwards(locks);
    }

    int get(const std::string& key) {
        Shard& shard = shard_of(key);
        const std::lock_guard lock(shard.mutex);
        const auto found = shard.values.find(key);
        return found == shard.values.end() ? 0 : found->second;
    }

    Values snapshot() {
        Values all;
#ifdef FIXED
        std::vector<std::unique_lock<std::mutex>> locks = lock_all();
        for (const Shard& shard : shards_) all.insert(shard.values.begin(), shard.values.end());
        unlock_backwards(locks);
#else
        for (Shard& shard : shards_) {
            const std::lock_guard lock(shard.mutex);
            all.insert(shard.values.begin(), shard.values.end());
        }
#endif
        return all;
    }

private:
    struct Shard {
        std::mutex mutex;
        Values values;
    };

    Shard& shard_of(const std::string& key) {
        return shards_[static_cast<unsigned char>(key.front()) % shards_.size()];
    }

    std::vector<std::unique_lock<std::mutex>> lock_all() {
        std::vector<std::unique_lock<std::mutex>> locks;
        for (Shard& shard : shards_) locks.emplace_back(shard.mutex);
        return locks;
    }

    static void unlock_backwards(std::vector<std::unique_lock<std::mutex>>& locks) {
        while (!locks.empty()) locks.pop_back();
    }

    std::array<Shard, 2> shards_;
};

}  // namespace

// key_value_snapshot [THREADS]: writers, and one that takes a snapshot
int main(int count, char** arguments) {
    const int writers = number_argument(count, arguments, 1, 2, 2, most_threads) - 1;
    Store store;
    std::vector<std::thread> threads;
    for (int i = 1; i <= writers; ++i) {
        threads.emplace_back([&store, i] { store.put_all({{"a", i}, {"b", i}}); });
    }
    threads.emplace_back([&store] {
        Store::Values all = store.snapshot();
        assert(all["a"] == all["b"]);  // BUG
    });
    for (std::thread& thread : threads) thread.join();
    assert(store.get("a") == store.get("b"));
}
