// Pairs about containers and other objects of the standard library of C++ that threads share.
#include <any>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstring>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "pairs.hpp"

namespace {

void hash_table() {
    static std::unordered_map<int, int> table;
    run_guarded([] { table[1] = 1; }, [] { sink = static_cast<int>(table.count(2)); });
}

void list_splice() {
    static std::list<int> numbers{1, 2};
    run_guarded([] { numbers.push_front(0); }, [] { numbers.pop_front(); });
}

void forward_list() {
    static std::forward_list<int> numbers;
    run_guarded([] { numbers.push_front(1); }, [] { sink = numbers.empty() ? 0 : 1; });
}

void set_of_strings() {
    static std::set<std::string> words;
    run_guarded([] { words.insert("one"); }, [] { words.insert("other"); });
}

void priority_queue() {
    static std::priority_queue<int> queue;
    run_guarded([] { queue.push(1); }, [] { queue.push(2); });
}

// Reading is allowed to everybody; to look with [] is to insert.
void map_reads() {
    static std::map<int, int> numbers{{1, 1}};
    const auto look = [] { sink = fixed ? numbers.find(1)->second : numbers[2]; };
    run(look, look);
}

// The bits of two elements are one byte.
void vector_of_bool() {
    static std::vector<bool> bits(8);
    static std::vector<char> bytes(8);
    const auto set = [](std::size_t nth) {
        if (fixed) {
            bytes[nth] = 1;
        } else {
            bits[nth] = true;
        }
    };
    run([=] { set(0); }, [=] { set(1); });
}

void bit_set() {
    static std::bitset<64> bits;
    run_guarded([] { bits.set(3); }, [] { bits.set(60); });
}

// Elements of an array are memory of their own.
void elements() {
    static std::array<int, 4> numbers{};
    run([] { increase(numbers[1]); }, [] { increase(numbers[fixed ? 2 : 1]); });
}

// The array moves when the vector grows.
void moving_elements() {
    static std::vector<int> numbers(1);
    static std::vector<int> with_room = [] {
        std::vector<int> made(1);
        made.reserve(8);
        return made;
    }();
    run([] { fixed ? with_room.push_back(1) : numbers.push_back(1); },
        [] { increase(fixed ? with_room[0] : numbers[0]); });
}

void string_copy() {
    static std::string text = "a text that is too long to be kept in the string itself";
    run_guarded([] { sink = std::string(text)[0]; }, [] { text[3] = 'X'; });
}

void optional_value() {
    static std::optional<int> value;
    run_guarded([] { value = 7; }, [] { sink = value.value_or(0); });
}

void any_value() {
    static std::any value = 1;
    run_guarded([] { value = 7; }, [] { sink = value.has_value() ? 1 : 0; });
}

void function_object() {
    static std::function<int()> function = [] { return 1; };
    run_guarded([] { function = [] { return 2; }; }, [] { sink = function(); });
}

void string_stream() {
    static std::ostringstream stream;
    run_guarded([] { stream << 'a'; }, [] { stream << 'b'; });
}

void unique_pointer() {
    static auto pointer = std::make_unique<int>(1);
    run_guarded([] { pointer = std::make_unique<int>(2); }, [] { sink = pointer ? *pointer : 0; });
}

// The object is shared by the count of its references; what is in it is not protected by that.
void weak_pointer() {
    static auto shared = std::make_shared<int>(1);
    static std::weak_ptr<int> weak = shared;
    const auto use = [] {
        if (const auto own = weak.lock()) {
            const auto lock = guard();
            increase(*own);
        }
    };
    run(use, use);
}

// A member of the derived class lies in the padding of its base: who copies the base as bytes copies it, too.
struct Base {
    int number = 0;
    char letter = 'a';

  protected:
    ~Base() = default;  // not an aggregate of plain data: its padding may be used
};
struct Derived : Base {
    char of_other = 'b';
};
static_assert(sizeof(Derived) == sizeof(Base));

void tail_padding() {
    static Derived object;
    run(
        [] {
            std::array<char, sizeof(Base)> copy{};
            const std::size_t size = fixed ? offsetof(Base, letter) + 1 : sizeof(Base);
            std::memcpy(copy.data(), static_cast<const void*>(&object), size);
            sink = copy[0];
        },
        [] { *static_cast<volatile char*>(&object.of_other) = 'c'; });
}

const Pairs all{
    {"any", any_value},
    {"bit_set", bit_set},
    {"elements", elements},
    {"forward_list", forward_list},
    {"function", function_object},
    {"hash_table", hash_table},
    {"linked_list", list_splice},
    {"map_reads", map_reads},
    {"moving_elements", moving_elements},
    {"optional", optional_value},
    {"priority_queue", priority_queue},
    {"set", set_of_strings},
    {"string_copy", string_copy},
    {"string_stream", string_stream},
    {"tail_padding", tail_padding},
    {"unique_pointer", unique_pointer},
    {"vector_of_bool", vector_of_bool},
    {"weak_pointer", weak_pointer},
};

}  // namespace

int main(int argc, char** argv) { return run_chosen(all, argc, argv); }
