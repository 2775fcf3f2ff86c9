#include "reporting/trace_file.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "core/error.hpp"
#include "reporting/bytes_as_text.hpp"
#include "reporting/whole_file.hpp"

namespace coopcheck {

namespace {

namespace fs = std::filesystem;

/// A trace of a hundred thousand steps has about 16 MB.
constexpr std::size_t largest_file = std::size_t{64} << 20;

}  // namespace

Trace read_trace(const std::string& path) {
    const std::string name = printable(path);
    std::error_code error;
    if (fs::is_directory(path, error)) {
        throw Error(name + " is a folder; name the trace file in it.");
    }
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw Error("Cannot read the trace " + name + ": " + std::generic_category().message(errno) +
                    "; traces are written by coopcheck explore.");
    }
    std::string text;
    std::array<char, 65536> chunk{};
    while (file.read(chunk.data(), chunk.size()), file.gcount() > 0) {
        text.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
        if (text.size() > largest_file) {
            throw Error(name + ": is larger than any trace; name a trace written by coopcheck explore.");
        }
    }
    if (file.bad()) {
        throw Error("Cannot read the trace " + name + " to its end; check the disk.");
    }
    return trace_from_json(text, name);
}

void write_trace(const Trace& trace, const std::string& path) {
    write_whole_file(to_json(trace), path,
                     {.what = "the trace", .remedy = "choose another folder with --out"});
}

}  // namespace coopcheck
