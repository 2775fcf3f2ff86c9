#include "reporting/source_line.hpp"

#include "reporting/bytes_as_text.hpp"
#include "reporting/step_words.hpp"

namespace coopcheck {

std::string source_line(const Trace& trace, const std::string& source, const Paint& paint,
                        const std::string& margin) {
    const TracePlace* place = find_place(trace, source);
    if (place == nullptr || place->line < place->first_line ||
        place->line - place->first_line >= place->lines.size()) {
        return "";
    }
    const std::string& line = place->lines[place->line - place->first_line];
    return margin + paint.faint(std::to_string(place->line) + " |") + " " + printable(line) + '\n';
}

}  // namespace coopcheck
