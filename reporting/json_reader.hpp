#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "reporting/bytes_as_text.hpp"
#include "reporting/trace_names.hpp"

namespace coopcheck {

/// An object of the file, and where in the file it is.
class JsonReader {
  public:
    using Json = nlohmann::json;
    static constexpr const char* make_anew = "; make the trace anew with coopcheck explore.";

    JsonReader(const Json& json, std::string name, std::string where,
               std::initializer_list<std::string_view> known_keys)
        : json_(json), name_(std::move(name)), where_(std::move(where)) {
        if (!json.is_object()) {
            fail("is not an object");
        }
        for (const auto& [key, value] : json.items()) {
            if (std::find(known_keys.begin(), known_keys.end(), key) == known_keys.end()) {
                fail("has the unknown key \"" + printable(key) + "\"");
            }
        }
    }

    [[nodiscard]] bool has(const char* key) const { return json_.contains(key); }
    [[nodiscard]] const Json& value(const char* key) const {
        if (!has(key)) {
            fail("has no \"" + std::string(key) + "\"");
        }
        return json_[key];
    }
    [[nodiscard]] std::string text(const char* key) const { return text(value(key), key); }
    [[nodiscard]] std::string text_or_empty(const char* key) const { return has(key) ? text(key) : ""; }
    [[nodiscard]] std::vector<std::string> texts(const char* key) const {
        return has(key) ? texts_of(value(key), key) : std::vector<std::string>{};
    }
    /// Of a part of what is under the key.
    [[nodiscard]] std::vector<std::string> texts_of(const Json& list, const char* key) const {
        if (!list.is_array()) {
            fail_at(key, "is not a list");
        }
        std::vector<std::string> all;
        for (const Json& element : list) {
            all.push_back(text(element, key));
        }
        return all;
    }
    [[nodiscard]] std::string text_of(const Json& json, const char* key) const { return text(json, key); }
    [[nodiscard]] const Json& array(const char* key) const {
        if (!value(key).is_array()) {
            fail_at(key, "is not a list");
        }
        return value(key);
    }
    [[nodiscard]] bool flag(const char* key) const { return has(key) && required_flag(key); }
    [[nodiscard]] bool required_flag(const char* key) const {
        if (!value(key).is_boolean()) {
            fail_at(key, "is neither true nor false");
        }
        return value(key).get<bool>();
    }
    template <typename Number>
    [[nodiscard]] Number number(const char* key) const {
        const Json& json = value(key);
        bool fits = false;
        if (json.is_number_unsigned()) {
            fits =
                json.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
        } else if (json.is_number_integer()) {
            fits = std::is_signed_v<Number> &&
                   json.get<std::int64_t>() >= static_cast<std::int64_t>(std::numeric_limits<Number>::min());
        }
        if (!fits) {
            fail_at(key, "is not a whole number of a sensible size");
        }
        return json.get<Number>();
    }
    template <typename Number>
    [[nodiscard]] Number number_or_zero(const char* key) const {
        return has(key) ? number<Number>(key) : Number{0};
    }
    template <typename Enumeration>
    [[nodiscard]] Enumeration one_of(const char* key) const {
        const std::string word = text(key);
        const std::optional<Enumeration> value = from_file_name<Enumeration>(word);
        if (!value) {
            fail_at(key, "is \"" + printable(word) + "\", which this coopcheck does not know");
        }
        return *value;
    }
    /// "T0.1.2"
    [[nodiscard]] std::string thread(const char* key) const { return checked_thread(text(key), key); }
    [[nodiscard]] std::vector<std::string> threads(const char* key) const {
        std::vector<std::string> all = texts(key);
        for (const std::string& name : all) {
            static_cast<void>(checked_thread(name, key));
        }
        return all;
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw Error(name_ + ": " + where_ + " " + what + make_anew);
    }
    [[noreturn]] void fail_at(const char* key, const std::string& what) const {
        throw Error(name_ + ": " + where_ + ": \"" + key + "\" " + what + make_anew);
    }
    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    [[nodiscard]] std::string text(const Json& json, const char* key) const {
        if (!json.is_string()) {
            fail_at(key, "is not a text");
        }
        std::optional<std::string> bytes = text_to_bytes(json.get_ref<const std::string&>());
        if (!bytes) {
            fail_at(key, "has a backslash that is followed neither by another one nor by xHH");
        }
        return std::move(*bytes);
    }
    [[nodiscard]] std::string checked_thread(std::string name, const char* key) const {
        bool digit = false;  // the character before was one
        bool sound = name.starts_with("T0");
        for (std::size_t at = 1; at < name.size() && sound; ++at) {
            const bool is_digit = std::isdigit(static_cast<unsigned char>(name[at])) != 0;
            sound = is_digit || (name[at] == '.' && digit);
            digit = is_digit;
        }
        if (!sound || !digit) {
            fail_at(key, "is \"" + printable(name) + "\", which names no thread (T0, T0.1, ...)");
        }
        return name;
    }

    const Json& json_;
    std::string name_;
    std::string where_;
};

}  // namespace coopcheck
