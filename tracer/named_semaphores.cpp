// sem_open, sem_close and sem_unlink. libc keeps named semaphores in files that all processes share; a copy
// of the program must not see what another one has done to them, so the names live in the state of the run.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "core/error.hpp"
#include "tracer/run.hpp"
#include "tracer/scratch.hpp"

namespace coopcheck::tracer {

namespace {

/// The name as the model knows it, or nothing where libc answers EINVAL: a leading slash says nothing,
/// another one is not allowed.
std::optional<std::string> canonical_name(std::string name) {
    name.erase(0, name.find_first_not_of('/'));
    const std::string_view prefix = "sem.";
    const bool is_good =
        !name.empty() && name.find('/') == std::string::npos && name.size() + prefix.size() < NAME_MAX;
    return is_good ? std::optional("/" + name) : std::nullopt;
}

NamedSemaphore* find_linked(std::vector<NamedSemaphore>& all, ObjectId name) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const NamedSemaphore& semaphore) {
        return semaphore.name == name && semaphore.linked;
    });
    return found == all.end() ? nullptr : &*found;
}

RemoteAddress address_of(std::size_t nth) {
    return scratch::named_semaphores + nth * scratch::named_semaphore_size;
}

}  // namespace

Run::Next Run::on_name(VirtualThread& thread, RemoteAddress function, const Breakpoint& breakpoint) {
    const user_regs_struct& registers = thread.registers;
    const Hook& hook = *breakpoint.hook;
    Parking parking{.at = Parking::At::Call, .hook = &hook, .function = function};
    const auto return_address = memory_.read_value<std::uint64_t>(RemoteAddress{registers.rsp});
    if (!return_address) return enter_native(thread, function, breakpoint);
    parking.return_address = RemoteAddress{return_address.value()};
    const auto name = canonical_name(memory_.read_string(RemoteAddress{registers.rdi}));
    if (!name) {
        set_errno(thread, EINVAL);
        return_from_call(thread, hook.kind == OpKind::SemOpen ? 0 : ~0ULL);
        return Next::ResumeChanged;
    }
    if (::access(("/dev/shm/sem." + name->substr(1)).c_str(), F_OK) == 0) {
        throw Error(
            "The program uses the semaphore " + *name +
            ", which other processes have made; coopcheck does not model what they do with it. Remove it.");
    }
    const Operation operation{
        .kind = hook.kind, .object = session_->names.objects.intern(*name), .site = site_of_caller(thread)};
    return park(thread, operation, parking);
}

std::int64_t Run::open_semaphore(VirtualThread& thread, const Operation& operation) {
    const user_regs_struct& registers = thread.registers;
    const auto flags = static_cast<int>(registers.rsi);
    const auto refuse = [&](int error) {
        set_errno(thread, error);
        return std::int64_t{0};  // SEM_FAILED
    };
    std::vector<NamedSemaphore>& all = state_.named_semaphores;
    NamedSemaphore* semaphore = find_linked(all, operation.object);
    if (semaphore != nullptr) {
        if ((flags & O_CREAT) != 0 && (flags & O_EXCL) != 0) return refuse(EEXIST);
        if (semaphore->times_open == 0) {
            // Closed by all, but its value lives on.
            const std::int64_t value = state_.model.object(semaphore->object).count;
            state_.model.init(semaphore->object, {.object_class = ObjectClass::Semaphore, .value = value});
        }
        semaphore->times_open += 1;
        return static_cast<std::int64_t>(
            number(address_of(static_cast<std::size_t>(semaphore - all.data()))));
    }
    if ((flags & O_CREAT) == 0) return refuse(ENOENT);
    const auto value = static_cast<std::uint32_t>(registers.rcx);
    if (value > INT_MAX) return refuse(EINVAL);
    if (all.size() == scratch::named_semaphore_capacity) {
        throw Error("The program makes more than " + std::to_string(scratch::named_semaphore_capacity) +
                    " named semaphores, which is more than coopcheck has room for.");
    }
    const auto earlier = std::count_if(
        all.begin(), all.end(), [&](const NamedSemaphore& other) { return other.name == operation.object; });
    std::string name = "semaphore " + session_->names.objects.name(operation.object);
    if (earlier > 0) name += "#" + std::to_string(earlier + 1);
    const ObjectId object = session_->names.objects.intern(name);
    state_.model.init(object, {.object_class = ObjectClass::Semaphore, .value = value});
    const RemoteAddress address = address_of(all.size());
    state_.objects[object_key(address, ObjectClass::Semaphore)] = object;
    all.push_back({.name = operation.object, .object = object, .linked = true, .times_open = 1});
    return static_cast<std::int64_t>(number(address));
}

std::int64_t Run::unlink_semaphore(VirtualThread& thread, const Operation& operation) {
    NamedSemaphore* semaphore = find_linked(state_.named_semaphores, operation.object);
    if (semaphore == nullptr) {
        set_errno(thread, ENOENT);
        return -1;
    }
    semaphore->linked = false;
    return 0;
}

void Run::close_semaphore(Operation& operation) {
    for (NamedSemaphore& semaphore : state_.named_semaphores) {
        if (semaphore.object != operation.object || semaphore.times_open == 0) continue;
        semaphore.times_open -= 1;
        operation.value = semaphore.times_open == 0 ? 1 : 0;
    }
}

}  // namespace coopcheck::tracer
