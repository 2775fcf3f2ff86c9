#include "tracer/hooks.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <gnu/libc-version.h>

#include <set>
#include <string>
#include <string_view>

#include "tracer/symbol_file.hpp"

using namespace coopcheck::tracer;

namespace {

/// Functions of libc about threads that need no hook, and why.
const std::set<std::string, std::less<>> harmless{
    // They only call functions that are hooked.
    "call_once", "cnd_init", "mtx_init", "thrd_create", "thrd_detach", "thrd_exit", "thrd_join",
    // They only make system calls that are seen: sched_yield, clock_nanosleep, sched_*.
    "__nanosleep", "__sched_yield", "clock_nanosleep", "nanosleep", "pthread_getaffinity_np",
    "pthread_getattr_np", "pthread_getschedparam", "pthread_setaffinity_np", "pthread_setschedparam",
    "pthread_setschedprio", "pthread_yield", "sched_yield", "sleep", "thrd_sleep", "thrd_yield", "usleep",
    // They are about the calling thread alone.
    "__pthread_cleanup_routine", "__pthread_register_cancel", "__pthread_register_cancel_defer",
    "__pthread_unregister_cancel", "__pthread_unregister_cancel_restore", "__pthread_unwind_next",
    "_pthread_cleanup_pop", "_pthread_cleanup_pop_restore", "_pthread_cleanup_push",
    "_pthread_cleanup_push_defer", "pthread_equal", "pthread_getspecific", "pthread_self",
    "pthread_setcanceltype", "pthread_setspecific", "pthread_sigmask", "thrd_current", "thrd_equal",
    "tss_get", "tss_set",
    // They read or set what no thread waits for.
    "__pthread_get_minstack", "__pthread_getspecific", "__pthread_setspecific", "__pthread_key_create",
    "pthread_atfork", "pthread_getattr_default_np", "pthread_getconcurrency", "pthread_getcpuclockid",
    "pthread_getname_np", "pthread_key_create", "pthread_key_delete", "pthread_kill_other_threads_np",
    "pthread_mutex_getprioceiling", "pthread_setattr_default_np", "pthread_setconcurrency",
    "pthread_setname_np", "tss_create", "tss_delete"};

bool is_about_threads(std::string_view name) {
    const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
    const auto starts = [&](std::string_view part) { return name.starts_with(part); };
    return has("pthread_") || starts("sem_") || starts("mtx_") || starts("cnd_") || starts("thrd_") ||
           starts("tss_") || has("call_once") || has("lockfile") || has("sleep") || has("sched_yield");
}

bool is_attribute(std::string_view name) {
    return name.find("attr_") != std::string_view::npos &&
           name.find("attr_default") == std::string_view::npos && name != "pthread_getattr_np";
}

}  // namespace

TEST_CASE("every function of libc about threads is hooked or known to be harmless") {
    Dl_info libc{};
    REQUIRE(::dladdr(reinterpret_cast<void*>(&::gnu_get_libc_version), &libc) != 0);
    const SymbolFile file(libc.dli_fname);
    std::set<std::uint64_t> hooked;
    for (const Hook& hook : all_hooks()) {
        if (const auto address = file.function(hook.name)) hooked.insert(*address);
    }
    std::string unknown;
    std::size_t looked_at = 0;
    for (const auto& [name, address] : file.functions()) {
        if (!is_about_threads(name)) continue;
        looked_at += 1;
        // Other names of a hooked function (__pthread_mutex_lock) have its address.
        if (!hooked.contains(address) && !is_attribute(name) && !harmless.contains(name))
            unknown += name + " ";
    }
    CHECK(looked_at > harmless.size());
    CAPTURE(unknown);
    CHECK(unknown.empty());
}
