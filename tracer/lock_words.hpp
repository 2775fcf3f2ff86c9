#pragma once

#include <cstdint>
#include <functional>

#include "core/ids.hpp"
#include "core/sync_objects.hpp"
#include "tracer/target_memory.hpp"
#include "tracer/target_types.hpp"

/// What is in the memory of a synchronization object that glibc itself has operated on (2.36; the layouts are
/// those of its ABI). Our completed calls leave it as it was initialized; these functions write what would be
/// there, for somebody who looks at it or lets the program go on without us.
namespace coopcheck::tracer::lock_words {

/// The id that the kernel knows a thread by.
using KernelIdOf = std::function<int(ThreadId)>;

/// A mutex that `owner` holds, so often; `users` counts also those who wait on a condition with it. 0 for
/// nobody.
struct MutexHolder {
    int owner = 0;
    std::uint32_t count = 0;
    std::uint32_t users = 0;
};
void write_mutex(const TargetMemory& memory, RemoteAddress mutex, const MutexHolder& holder);

/// Objects that somebody holds, and semaphores. Others are in memory what they are in the model already;
/// barriers and conditions begin anew.
void write(const TargetMemory& memory, RemoteAddress object, const ObjectState& state,
           const KernelIdOf& kernel_id_of);

}  // namespace coopcheck::tracer::lock_words
