#include "cmd/doctor.hpp"

#include <CLI/App.hpp>
#include <iostream>

#include "core/log.hpp"
#include "tracer/library_versions.hpp"
#include "tracer/probe.hpp"

namespace coopcheck::cmd {

namespace {

void print(const tracer::ProbeResult& result) {
    if (result.works) {
        std::cout << "ok  " << result.name << ": " << result.detail << '\n';
    } else {
        std::cout << "FAIL " << result.name << ": " << result.detail << "; remedy: " << result.remedy << '\n';
    }
}

void print(const tracer::LibraryVersion& library) {
    std::cout << "ok  " << library.name << ": " << library.version;
    if (!library.note.empty()) std::cout << " (" << library.note << ")";
    std::cout << '\n';
}

ExitCode run_doctor() {
    log::debug("trying out what coopcheck needs of this machine");
    bool all_work = true;
    for (const auto& result : tracer::probe_machine()) {
        print(result);
        all_work = all_work && result.works;
    }
    for (const auto& library : tracer::library_versions()) print(library);
    return all_work ? ExitCode::Clean : ExitCode::CannotDo;
}

}  // namespace

Command declare_doctor(CLI::App& app) {
    return {
        app.add_subcommand("doctor", "Say whether coopcheck can work on this machine, and what to do if not"),
        run_doctor};
}

}  // namespace coopcheck::cmd
