#pragma once

#include <cstdint>
#include <string_view>

/// Logs for the one who looks into coopcheck; they go to stderr. Reports for the user are not logs.
namespace coopcheck::log {

enum class Level : std::uint8_t { Trace, Debug, Info, Warning, Error, Off };

/// Messages below `level` are dropped. Warning until it is called.
void set_level(Level level);

/// For messages that are costly to build.
[[nodiscard]] bool enabled(Level level);

void write(Level level, std::string_view message);

inline void trace(std::string_view message) { write(Level::Trace, message); }
inline void debug(std::string_view message) { write(Level::Debug, message); }
inline void info(std::string_view message) { write(Level::Info, message); }
inline void warning(std::string_view message) { write(Level::Warning, message); }
inline void error(std::string_view message) { write(Level::Error, message); }

}  // namespace coopcheck::log
