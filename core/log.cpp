#include "core/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "core/check.hpp"

namespace coopcheck::log {

namespace {

spdlog::level::level_enum to_spdlog(Level level) {
    switch (level) {
        case Level::Trace:
            return spdlog::level::trace;
        case Level::Debug:
            return spdlog::level::debug;
        case Level::Info:
            return spdlog::level::info;
        case Level::Warning:
            return spdlog::level::warn;
        case Level::Error:
            return spdlog::level::err;
        case Level::Off:
            return spdlog::level::off;
    }
    COOPCHECK_CHECK(false, "a log level of no kind");
}

spdlog::logger& logger() {
    static const std::shared_ptr<spdlog::logger> instance = [] {
        auto made = std::make_shared<spdlog::logger>("coopcheck",
                                                     std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
        made->set_pattern("%n: [%^%l%$] %v");
        made->set_level(spdlog::level::warn);
        return made;
    }();
    return *instance;
}

}  // namespace

void set_level(Level level) { logger().set_level(to_spdlog(level)); }

bool enabled(Level level) { return logger().should_log(to_spdlog(level)); }

void write(Level level, std::string_view message) { logger().log(to_spdlog(level), message); }

}  // namespace coopcheck::log
