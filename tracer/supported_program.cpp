#include "tracer/supported_program.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace coopcheck::tracer {

namespace {

bool has_function(const Modules& modules, std::string_view name) {
    return std::any_of(modules.all().begin(), modules.all().end(),
                       [&](const Module& module) { return module.file->function(name).has_value(); });
}

}  // namespace

void refuse_unsupported(const Modules& modules) {
    const Module& program = modules.all().front();
    if (has_function(modules, "__tsan_init")) {
        throw Error("'" + program.name() +
                    "' is built with ThreadSanitizer, which keeps accounts of kernel threads of its own, "
                    "while coopcheck "
                    "runs all threads in one; build it without -fsanitize=thread.");
    }
    const bool is_musl = std::any_of(modules.all().begin(), modules.all().end(), [](const Module& module) {
        return module.name().starts_with("ld-musl") || module.name().starts_with("libc.musl");
    });
    // A static program brings its C library along; glibc's sets up thread-local storage by this function.
    const bool is_static = modules.all().size() == 1;
    const bool is_other_static = is_static && program.file->function("pthread_create") &&
                                 !program.file->function("__libc_setup_tls") &&
                                 program.file->function("__init_libc");
    if (is_musl || is_other_static) {
        throw Error("'" + program.name() +
                    "' uses the C library musl, whose threads coopcheck does not know; build it with glibc.");
    }
}

void refuse_hidden_locks(const Modules& modules) {
    const Module& program = modules.all().front();
    if (modules.all().size() > 1 || program.file->has_functions()) return;
    throw Error("'" + program.name() +
                "' is a static program without symbols and makes threads: coopcheck cannot see its locks; do "
                "not strip "
                "it, or link it dynamically.");
}

}  // namespace coopcheck::tracer
