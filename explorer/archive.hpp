#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/ids.hpp"
#include "core/location.hpp"

// Values as text, written and read by one description: a structure has a function
//
//     template <typename Archive> void transfer(Archive& archive, T& value) { archive(value.first,
//     value.second); }
//
// Numbers are in decimal with a space after each, texts are preceded by their length.

namespace coopcheck {

/// An enumeration with its last value: what is read must not be beyond it.
template <typename Enum>
struct Upto {
    Enum& value;
    Enum last;
};
template <typename Enum>
Upto(Enum&, Enum) -> Upto<Enum>;

class ArchiveWriter {
  public:
    template <typename... Values>
    void operator()(Values&&... values) {
        (put(values), ...);
    }

    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    template <std::unsigned_integral Number>
    void put(Number number) {
        text_ += std::to_string(static_cast<std::uint64_t>(number));
        text_ += ' ';
    }
    void put(std::int64_t number) { put(static_cast<std::uint64_t>(number)); }
    void put(const std::string& text) {
        put(text.size());
        text_ += text;
        text_ += ' ';
    }
    template <typename Tag>
    void put(Id<Tag> id) {
        put(id.index());
    }
    void put(Location location) {
        put(static_cast<std::uint64_t>(location.kind()));
        put(location.value());
    }
    template <typename Enum>
    void put(Upto<Enum> bounded) {
        put(static_cast<std::uint64_t>(bounded.value));
    }
    template <typename Value>
    void put(std::optional<Value>& value) {
        put(value.has_value());
        if (value) put(*value);
    }
    template <typename First, typename Second>
    void put(std::pair<const First, Second>& pair) {
        First first = pair.first;
        put(first);
        put(pair.second);
    }
    template <typename Value>
    void put(std::vector<Value>& values) {
        put_all(values);
    }
    template <typename Value>
    void put(std::set<Value>& values) {
        put(values.size());
        // A copy: put() takes what it could also read into.
        for (Value value : values) put(value);  // NOLINT(performance-for-range-copy)
    }
    template <typename Key, typename Value>
    void put(std::map<Key, Value>& values) {
        put_all(values);
    }
    template <typename Values>
    void put_all(Values& values) {
        put(values.size());
        for (auto& value : values) put(value);
    }
    template <typename Structure>
    requires requires(ArchiveWriter& archive, Structure& structure) { transfer(archive, structure); }
    void put(Structure& structure) { transfer(*this, structure); }

    std::string text_;
};

/// What is read is untrusted: whatever does not fit throws Error.
class ArchiveReader {
  public:
    explicit ArchiveReader(std::string_view text) : rest_(text) {}

    template <typename... Values>
    void operator()(Values&&... values) {
        (get(values), ...);
    }

    /// From now on the ids that are read stand for these, in this order; others are damage.
    void set_ids(std::vector<ThreadId> threads, std::vector<ObjectId> objects) {
        threads_ = std::move(threads);
        objects_ = std::move(objects);
    }
    [[nodiscard]] bool at_end() const { return rest_.empty(); }

    [[noreturn]] static void fail() { throw Error("It is damaged."); }

  private:
    template <std::unsigned_integral Number>
    void get(Number& number) {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        const auto length = static_cast<std::size_t>(end - rest_.data());
        const std::uint64_t most =
            std::is_same_v<Number, bool> ? 1 : static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
        if (error != std::errc{} || length >= rest_.size() || rest_[length] != ' ' || value > most) fail();
        rest_.remove_prefix(length + 1);
        number = static_cast<Number>(value);
    }
    void get(std::int64_t& number) {
        std::uint64_t value = 0;
        get(value);
        number = static_cast<std::int64_t>(value);
    }
    void get(std::string& text) {
        std::size_t size = 0;
        get(size);
        if (size >= rest_.size() || rest_[size] != ' ') fail();
        text = rest_.substr(0, size);
        rest_.remove_prefix(size + 1);
    }
    void get(ThreadId& thread) { thread = meant(threads_); }
    void get(ObjectId& object) { object = meant(objects_); }
    void get(Location& location) {
        std::uint8_t kind = 0;
        std::uint64_t value = 0;
        (*this)(kind, value);
        if (kind > static_cast<std::uint8_t>(Location::Kind::World) || value > Location::max_value) fail();
        location = Location::of(static_cast<Location::Kind>(kind), value);
        switch (location.kind()) {
            case Location::Kind::Object:
                location = Location::object(at(objects_, value));
                break;
            case Location::Kind::Thread:
                location = Location::thread(at(threads_, value));
                break;
            case Location::Kind::Wake:
                location = Location::wake(at(threads_, value));
                break;
            case Location::Kind::Memory:
            case Location::Kind::Output:
            case Location::Kind::Kernel:
            case Location::Kind::World:
                break;
        }
    }
    template <typename Enum>
    void get(Upto<Enum> bounded) {
        std::uint64_t value = 0;
        get(value);
        if (value > static_cast<std::uint64_t>(bounded.last)) fail();
        bounded.value = static_cast<Enum>(value);
    }
    template <typename Value>
    void get(std::optional<Value>& value) {
        bool is_there = false;
        get(is_there);
        if (is_there) get(value.emplace());
    }
    template <typename Value>
    void get(std::vector<Value>& values) {
        const std::size_t size = count();
        values.reserve(size);
        for (std::size_t index = 0; index < size; ++index) get(values.emplace_back());
    }
    template <typename Value>
    void get(std::set<Value>& values) {
        for (std::size_t left = count(); left > 0; --left) {
            Value value{};
            get(value);
            values.insert(std::move(value));
        }
    }
    template <typename Key, typename Value>
    void get(std::map<Key, Value>& values) {
        for (std::size_t left = count(); left > 0; --left) {
            Key key{};
            get(key);
            get(values[key]);
        }
    }
    template <typename Structure>
    requires requires(ArchiveReader& archive, Structure& structure) { transfer(archive, structure); }
    void get(Structure& structure) { transfer(*this, structure); }

    /// A number of things that are still to come; each takes two characters at least.
    std::size_t count() {
        std::size_t size = 0;
        get(size);
        if (size > rest_.size() / 2) fail();
        return size;
    }
    template <typename Id>
    static Id at(const std::vector<Id>& ids, std::uint64_t index) {
        if (index >= ids.size()) fail();
        return ids[index];
    }
    template <typename Id>
    Id meant(const std::vector<Id>& ids) {
        std::uint32_t index = 0;
        get(index);
        return Id{index}.valid() ? at(ids, index) : Id{};
    }

    std::string_view rest_;
    std::vector<ThreadId> threads_;
    std::vector<ObjectId> objects_;
};

}  // namespace coopcheck
