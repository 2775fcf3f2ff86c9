#pragma once

#include <cstddef>
#include <string>

namespace coopcheck {

/// How a report is written for people.
struct TextStyle {
    /// Columns of the terminal.
    std::size_t width = 100;
    bool color = false;
    /// Every step, and the whole passing schedule.
    bool all_steps = false;
};

/// Marks up text for terminals, or leaves it as it is. What is marked is never known by its colour alone.
class Paint {
  public:
    explicit Paint(bool color) : color_(color) {}
    [[nodiscard]] std::string strong(const std::string& text) const { return marked("1", text); }
    [[nodiscard]] std::string bad(const std::string& text) const { return marked("1;31", text); }
    [[nodiscard]] std::string good(const std::string& text) const { return marked("32", text); }
    [[nodiscard]] std::string notable(const std::string& text) const { return marked("33", text); }
    [[nodiscard]] std::string faint(const std::string& text) const { return marked("2", text); }

  private:
    [[nodiscard]] std::string marked(const char* code, const std::string& text) const {
        return color_ && !text.empty() ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
    }
    bool color_;
};

}  // namespace coopcheck
