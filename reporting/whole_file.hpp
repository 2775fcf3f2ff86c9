#pragma once

#include <string>

namespace coopcheck {

/// For the Error of a file that cannot be written: "Cannot write WHAT PATH: reason; REMEDY."
struct FileWords {
    std::string what;
    std::string remedy;
};

/// Writes the file at once or not at all, in place of what was there: nobody ever sees half a file, and no
/// other file is left behind by whoever is killed here. Makes its folder. Throws Error.
void write_whole_file(const std::string& text, const std::string& path, const FileWords& words);

}  // namespace coopcheck
