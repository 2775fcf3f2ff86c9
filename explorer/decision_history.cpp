#include "explorer/decision_history.hpp"

#include <algorithm>
#include <charconv>
#include <istream>
#include <ostream>
#include <string_view>
#include <system_error>

#include "core/error.hpp"

// The form, one item per line; a backslash and a newline in a name are written as \\ and \n:
//
//     coopcheck history 1
//     state
//     ready 2 main.c:12 pthread_mutex_lock m
//     taken main.c:12 pthread_mutex_lock m
//     end 1 1
//
// The last line has the numbers of states and of decisions, so that a file cut short is noticed.

namespace coopcheck {

namespace {

constexpr std::string_view header = "coopcheck history 1";

std::string escaped(const std::string& text) {
    std::string result;
    for (const char character : text) {
        if (character == '\\') {
            result += "\\\\";
        } else if (character == '\n') {
            result += "\\n";
        } else {
            result += character;
        }
    }
    return result;
}

/// Reads line by line and knows where it is.
class Lines {
  public:
    explicit Lines(std::istream& in) : in_(in) {}

    [[nodiscard]] bool next() {
        number_ += 1;
        return static_cast<bool>(std::getline(in_, line_));
    }
    [[nodiscard]] const std::string& line() const { return line_; }

    /// The rest of the line if it begins with the word; otherwise nothing is taken.
    [[nodiscard]] bool take(std::string_view word, std::string_view& rest) const {
        if (!line_.starts_with(word)) {
            return false;
        }
        rest = std::string_view(line_).substr(word.size());
        return true;
    }

    std::size_t number(std::string_view& text) const {
        std::size_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || (end != text.data() + text.size() && *end != ' ')) {
            fail("a number is missing");
        }
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        text.remove_prefix(text.empty() ? 0 : 1);
        return value;
    }

    std::string unescaped(std::string_view text) const {
        std::string result;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] != '\\') {
                result += text[i];
                continue;
            }
            i += 1;
            if (i == text.size() || (text[i] != '\\' && text[i] != 'n')) {
                fail("a backslash stands before neither a backslash nor an n");
            }
            result += text[i] == 'n' ? '\n' : '\\';
        }
        return result;
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw Error("the saved history is damaged at line " + std::to_string(number_) + " (" + what +
                    "); delete it to begin a new one");
    }

  private:
    std::istream& in_;
    std::string line_;
    std::size_t number_ = 0;
};

}  // namespace

bool DecisionHistory::taken(const State& state, const std::string& decision) const {
    const auto found = states_.find(state);
    return found != states_.end() && found->second.contains(decision);
}

std::size_t DecisionHistory::decisions() const {
    std::size_t count = 0;
    for (const auto& [state, taken] : states_) {
        count += taken.size();
    }
    return count;
}

void DecisionHistory::save(std::ostream& out) const {
    out << header << '\n';
    for (const auto& [state, taken] : states_) {
        out << "state\n";
        for (const auto& [position, count] : state) {
            out << "ready " << count << ' ' << escaped(position) << '\n';
        }
        for (const std::string& decision : taken) {
            out << "taken " << escaped(decision) << '\n';
        }
    }
    out << "end " << states() << ' ' << decisions() << '\n';
}

DecisionHistory DecisionHistory::load(std::istream& in) {
    Lines lines(in);
    if (!lines.next() || lines.line() != header) {
        lines.fail("it does not begin with \"" + std::string(header) + "\"");
    }
    DecisionHistory history;
    State state;
    std::set<std::string> taken;
    bool open = false;
    const auto close = [&] {
        if (!open) {
            return;
        }
        if (state.empty() || taken.empty()) {
            lines.fail("the state before has no ready threads or no decisions");
        }
        if (!history.states_.try_emplace(state, taken).second) {
            lines.fail("the state before has come already");
        }
        state.clear();
        taken.clear();
    };
    while (lines.next()) {
        std::string_view rest;
        if (lines.line() == "state") {
            close();
            open = true;
        } else if (open && taken.empty() && lines.take("ready ", rest)) {
            const std::size_t count = lines.number(rest);
            if (count == 0 || !state.try_emplace(lines.unescaped(rest), count).second) {
                lines.fail("a position without threads, or twice");
            }
        } else if (open && lines.take("taken ", rest)) {
            if (!taken.insert(lines.unescaped(rest)).second) {
                lines.fail("a decision twice");
            }
        } else if (lines.take("end ", rest)) {
            close();
            const std::size_t states = lines.number(rest);
            if (states != history.states() || lines.number(rest) != history.decisions() || !rest.empty()) {
                lines.fail("the numbers of states and decisions are not what came before");
            }
            if (lines.next()) {
                lines.fail("something comes after the end");
            }
            return history;
        } else {
            lines.fail("nothing that is known: \"" + lines.line().substr(0, 60) + "\"");
        }
    }
    lines.fail("the end is missing");
}

}  // namespace coopcheck
