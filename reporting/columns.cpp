#include "reporting/columns.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <vector>

#include "reporting/bytes_as_text.hpp"
#include "reporting/relevant_steps.hpp"
#include "reporting/step_words.hpp"
#include "reporting/text_report.hpp"

namespace coopcheck {

namespace {

constexpr std::size_t narrowest_column = 14;
constexpr std::size_t widest_column = 34;
constexpr std::size_t most_lines = 60;
constexpr std::size_t lines_at_end = 30;

std::string cut(const std::string& text, std::size_t width) {
    if (display_width(text) <= width) {
        return text;
    }
    std::string start;
    for (const char byte : text) {
        const bool continues = (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
        if (!continues && display_width(start) + 2 >= width) {
            break;
        }
        start += byte;
    }
    return start + "..";
}

std::string padded(const std::string& text, std::size_t width) {
    const std::size_t used = display_width(text);
    return text + std::string(used < width ? width - used : 0, ' ');
}

std::string right(const std::string& text, std::size_t width) {
    return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}

struct Line {
    std::string number;
    std::string mark;
    std::size_t column = 0;
    std::string words;
    std::string place;
    bool preemption = false;
    bool decisive = false;
};

std::string waited_for(const Trace& trace, const TraceWait& wait) {
    const TraceOperation& operation = wait.operation;
    const std::string what = operation.object.empty() ? operation.thread : label_of(trace, operation.object);
    return "waits: " + (what.empty() ? short_words(trace, operation) : printable(what));
}

/// What the threads of the finding wait for at the end, or are about to do.
std::map<std::string, std::string> ends_of(const Trace& trace) {
    std::map<std::string, std::string> ends;
    for (const TraceWait& wait : trace.finding.waits) {
        ends.emplace(wait.thread, waited_for(trace, wait));
    }
    if (trace.finding.race && !trace.finding.race->apart) {
        for (const TraceAccess* access : {&trace.finding.race->first, &trace.finding.race->second}) {
            ends.emplace(access->thread, "next: " + short_words(trace, access->operation));
        }
    }
    return ends;
}

std::vector<unsigned long> numbers_in(const std::string& thread) {
    std::vector<unsigned long> numbers;
    for (std::size_t at = 1; at < thread.size(); ++at) {
        if (thread[at - 1] == '.' || thread[at - 1] == 'T') {
            numbers.push_back(std::strtoul(thread.c_str() + at, nullptr, 10));
        }
    }
    return numbers;
}

bool comes_before(const std::string& left, const std::string& right) {
    return numbers_in(left) < numbers_in(right);
}

/// The threads with lines, in the order of their first steps, and their lines.
class Table {
  public:
    Table(const Trace& trace, const TextStyle& style) : trace_(trace), style_(style) {
        const std::vector<bool> relevant = relevant_steps(trace);
        for (std::size_t i = 0; i < trace.steps.size(); ++i) {
            if (style.all_steps || relevant[i]) {
                add(i);
            }
        }
        ends_ = ends_of(trace);
        for (const auto& [thread, words] : ends_) {
            column_of(thread);
        }
        sort_columns();
    }

    [[nodiscard]] std::string text() const {
        std::vector<std::size_t> widths = natural_widths();
        std::size_t place_width = 0;
        for (const Line& line : lines_) {
            place_width = std::max(place_width, display_width(line.place));
        }
        const std::size_t count = std::max<std::size_t>(widths.size(), 1);
        const std::size_t beside = margin + place_width;
        const std::size_t room = style_.width > beside ? style_.width - beside : 0;
        if (room / count < narrowest_column + 2) {
            return list();
        }
        // The widest columns give up room first.
        while (total(widths) > room) {
            *std::max_element(widths.begin(), widths.end()) -= 1;
        }
        const Paint paint(style_.color);
        std::string text = std::string(margin - 7, ' ') + "step   ";
        for (std::size_t column = 0; column < threads_.size(); ++column) {
            text += paint.strong(padded(cut(heading(column), widths[column]), widths[column])) + "  ";
        }
        text = trimmed(text) + '\n';
        std::size_t shown = 0;
        for (const Line& line : lines_) {
            shown += 1;
            if (skips(shown)) {
                if (shown == first_skipped()) {
                    text += std::string(margin - 4, ' ') + "... " +
                            std::to_string(lines_.size() - lines_at_end - shown + 1) +
                            " more (-v shows all)\n";
                }
                continue;
            }
            text += line_text(line, widths, paint);
        }
        return text + end_text(widths, paint);
    }

  private:
    static constexpr std::size_t margin = 11;

    /// T0, T0.1, T0.2, T0.10: by the numbers in their names.
    void sort_columns() {
        std::vector<std::string> sorted = threads_;
        std::sort(sorted.begin(), sorted.end(), comes_before);
        for (Line& line : lines_) {
            const auto found = std::find(sorted.begin(), sorted.end(), threads_[line.column]);
            line.column = static_cast<std::size_t>(found - sorted.begin());
        }
        threads_ = std::move(sorted);
        columns_.clear();
        for (std::size_t column = 0; column < threads_.size(); ++column) {
            columns_[threads_[column]] = column;
        }
    }

    /// What the threads of the finding are about to do at the end, in one line.
    [[nodiscard]] std::string end_text(const std::vector<std::size_t>& widths, const Paint& paint) const {
        if (ends_.empty()) {
            return "";
        }
        std::vector<std::string> cells(threads_.size());
        for (const auto& [thread, words] : ends_) {
            cells[columns_.at(thread)] = words;
        }
        std::string text = right("end", margin - 4) + "    ";
        for (std::size_t column = 0; column < cells.size(); ++column) {
            text += paint.bad(padded(cut(cells[column], widths[column]), widths[column])) + "  ";
        }
        return trimmed(text) + '\n';
    }

    void add(std::size_t i) {
        const TraceStep& step = trace_.steps[i];
        Line line{.number = std::to_string(i + 1),
                  .column = column_of(step.thread),
                  .words = short_words(trace_, step),
                  .place = printable(place_words(own_source(step)))};
        line.preemption = step.switched == SwitchKind::Preemption;
        line.decisive = trace_.decision && trace_.decision->step == i;
        line.mark = std::string(line.preemption ? "*" : " ") + (line.decisive ? "!" : " ");
        lines_.push_back(std::move(line));
    }

    std::size_t column_of(const std::string& thread) {
        const auto [position, is_new] = columns_.try_emplace(thread, threads_.size());
        if (is_new) {
            threads_.push_back(thread);
        }
        return position->second;
    }

    [[nodiscard]] std::string heading(std::size_t column) const {
        const auto functions = thread_functions(trace_);
        const auto found = functions.find(threads_[column]);
        return printable(threads_[column] + (found == functions.end() ? "" : " " + found->second));
    }

    [[nodiscard]] std::vector<std::size_t> natural_widths() const {
        std::vector<std::size_t> widths(threads_.size(), narrowest_column);
        for (std::size_t column = 0; column < threads_.size(); ++column) {
            widths[column] = std::clamp(display_width(heading(column)), widths[column], widest_column);
        }
        for (const Line& line : lines_) {
            widths[line.column] = std::clamp(display_width(line.words), widths[line.column], widest_column);
        }
        for (const auto& [thread, words] : ends_) {
            std::size_t& width = widths[columns_.at(thread)];
            width = std::clamp(display_width(words), width, widest_column);
        }
        return widths;
    }

    static std::size_t total(const std::vector<std::size_t>& widths) {
        std::size_t sum = 0;
        for (const std::size_t width : widths) {
            sum += width + 2;
        }
        return sum;
    }

    [[nodiscard]] std::size_t first_skipped() const { return most_lines - lines_at_end + 1; }
    /// Whether the line with this number, from 1, is one of too many.
    [[nodiscard]] bool skips(std::size_t shown) const {
        return !style_.all_steps && lines_.size() > most_lines && shown >= first_skipped() &&
               shown + lines_at_end <= lines_.size();
    }

    [[nodiscard]] static std::string line_text(const Line& line, const std::vector<std::size_t>& widths,
                                               const Paint& paint) {
        std::string text = right(line.number, margin - 4) + " " + paint.notable(padded(line.mark, 2)) + " ";
        for (std::size_t column = 0; column < line.column; ++column) {
            text += std::string(widths[column] + 2, ' ');
        }
        const std::string words = padded(cut(line.words, widths[line.column]), widths[line.column]);
        text += line.decisive ? paint.strong(words) : words;
        for (std::size_t column = line.column + 1; column < widths.size(); ++column) {
            text += std::string(widths[column] + 2, ' ');
        }
        return trimmed(text + "  " + paint.faint(line.place)) + '\n';
    }

    static std::string trimmed(std::string text) {
        text.erase(text.find_last_not_of(' ') + 1);
        return text;
    }

    [[nodiscard]] std::string list() const {
        std::string text;
        std::size_t shown = 0;
        for (const Line& line : lines_) {
            shown += 1;
            if (skips(shown)) {
                continue;
            }
            text += right(line.number, margin - 4) + " " + padded(line.mark, 2) + " " +
                    printable(threads_[line.column]) + "  " + line.words +
                    (line.place.empty() ? "" : "  at " + line.place) + '\n';
        }
        return text;
    }

    const Trace& trace_;
    const TextStyle& style_;
    std::vector<std::string> threads_;
    std::map<std::string, std::size_t> columns_;
    std::vector<Line> lines_;
    /// By thread.
    std::map<std::string, std::string> ends_;
};

}  // namespace

std::size_t display_width(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    }));
}

std::string interleaving(const Trace& trace, const TextStyle& style) { return Table(trace, style).text(); }

}  // namespace coopcheck
