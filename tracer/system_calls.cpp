#include "tracer/system_calls.hpp"

#include <seccomp.h>
#include <sys/syscall.h>

#include <array>
#include <cstdlib>

namespace coopcheck::tracer {

namespace {

constexpr std::array harmless{
    // Memory of the process. (mmap is looked at: memory that is shared would be shared by all our copies;
    // mprotect by the filter itself.)
    SYS_munmap,
    SYS_brk,
    SYS_mremap,
    SYS_msync,
    SYS_mincore,
    SYS_madvise,
    SYS_mlock,
    SYS_mlock2,
    SYS_munlock,
    SYS_mlockall,
    SYS_munlockall,
    SYS_mbind,
    SYS_set_mempolicy,
    SYS_get_mempolicy,
    SYS_pkey_alloc,
    SYS_pkey_free,
    SYS_process_madvise,
    SYS_modify_ldt,
    SYS_arch_prctl,
    // There is one kernel thread, which is in step with itself.
    SYS_membarrier,
    // Files, none of which lets anybody wait.
    SYS_stat,
    SYS_fstat,
    SYS_lstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_statfs,
    SYS_fstatfs,
    SYS_access,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_lseek,
    SYS_pread64,
    SYS_pwrite64,
    SYS_preadv,
    SYS_pwritev,
    SYS_preadv2,
    SYS_pwritev2,
    SYS_getdents,
    SYS_getdents64,
    SYS_getcwd,
    SYS_chdir,
    SYS_fchdir,
    SYS_readlink,
    SYS_readlinkat,
    SYS_chmod,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_chown,
    SYS_fchown,
    SYS_lchown,
    SYS_fchownat,
    SYS_umask,
    SYS_ftruncate,
    SYS_fallocate,
    SYS_fadvise64,
    SYS_readahead,
    SYS_fsync,
    SYS_fdatasync,
    SYS_sync,
    SYS_syncfs,
    SYS_sync_file_range,
    SYS_copy_file_range,
    SYS_utime,
    SYS_utimes,
    SYS_utimensat,
    SYS_futimesat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_getxattr,
    SYS_lgetxattr,
    SYS_fgetxattr,
    SYS_listxattr,
    SYS_llistxattr,
    SYS_flistxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_chroot,
    SYS_name_to_handle_at,
    SYS_ioctl,
    SYS_inotify_add_watch,
    SYS_inotify_rm_watch,
    // Sockets: what only makes them ready.
    SYS_bind,
    SYS_listen,
    SYS_getsockname,
    SYS_getpeername,
    SYS_setsockopt,
    SYS_getsockopt,
    // Who the process is and what it may do.
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getresuid,
    SYS_getresgid,
    SYS_getgroups,
    SYS_setuid,
    SYS_setgid,
    SYS_setreuid,
    SYS_setregid,
    SYS_setresuid,
    SYS_setresgid,
    SYS_setgroups,
    SYS_setfsuid,
    SYS_setfsgid,
    SYS_capget,
    SYS_capset,
    SYS_getrlimit,
    SYS_setrlimit,
    SYS_prlimit64,
    SYS_uname,
    SYS_sysinfo,
    SYS_getpgid,
    SYS_getpgrp,
    SYS_setpgid,
    SYS_getsid,
    SYS_setsid,
    SYS_getpriority,
    SYS_setpriority,
    SYS_ioprio_get,
    SYS_ioprio_set,
    SYS_sched_get_priority_max,
    SYS_sched_get_priority_min,
    SYS_personality,
    SYS_sethostname,
    SYS_setdomainname,
    // Time that does not pass.
    SYS_clock_getres,
    // Children have ended before the program goes on: see on_fork.
    SYS_wait4,
    SYS_waitid,
    SYS_execve,
    SYS_execveat,
    // The kernel frees locks of a thread that dies by these; ours never die.
    SYS_set_robust_list,
    SYS_get_robust_list,
    SYS_restart_syscall,
};

constexpr std::array absent{
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_io_setup,
    SYS_io_destroy,
    SYS_io_submit,
    SYS_io_getevents,
    SYS_io_pgetevents,
    SYS_io_cancel,
    SYS_userfaultfd,
    SYS_perf_event_open,
    SYS_bpf,
    // Memory of one kernel thread, in which the kernel would write for all virtual threads.
    SYS_rseq,
    // Newer than our headers: futex_wake, futex_wait, futex_requeue, whose callers know futex too.
    454,
    455,
    456,
};

}  // namespace

std::span<const int> harmless_system_calls() { return harmless; }
std::span<const int> absent_system_calls() { return absent; }

std::string system_call_name(long system_call) {
    char* name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_X86_64, static_cast<int>(system_call));
    std::string result = name != nullptr ? name : std::to_string(system_call);
    std::free(name);  // NOLINT(cppcoreguidelines-no-malloc): libseccomp allocates with malloc
    return result;
}

}  // namespace coopcheck::tracer
