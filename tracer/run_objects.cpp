// The objects of a run: where they are, how their lives begin and end.
#include <pthread.h>

#include "tracer/object_layout.hpp"
#include "tracer/origin.hpp"
#include "tracer/run.hpp"

namespace coopcheck::tracer {

ObjectId Run::object_at(const VirtualThread& thread, RemoteAddress address, ObjectClass object_class,
                        std::span<const std::byte> bytes) {
    ObjectId& object = state_.objects[object_key(address, object_class)];
    if (!object.valid()) {
        std::string name = origin_of(address, state_, session_->names.threads);
        if (name.empty()) {
            name = session_->names.threads.name(thread.id) + "/" + std::string(class_name(object_class)) +
                   "@" + std::to_string(thread.objects_made[static_cast<std::size_t>(object_class)]);
        }
        if (object_class == ObjectClass::Futex) name += " (futex)";
        object = session_->names.objects.intern(name);
        if (state_.loaded->modules.is_runtime_data(address)) session_->set_internal(object);
    }
    if (state_.model.known(object) && state_.model.object(object).object_class == object_class &&
        (bytes.empty() || !object_layout::is_new_life(state_.model.object(object), bytes))) {
        return object;
    }
    // If it was never initialized, the model says so.
    if (const auto init = object_layout::decode(object_class, bytes)) state_.model.init(object, *init);
    return object;
}

ObjectId Run::stream_lock_at(const VirtualThread& thread, RemoteAddress stream) {
    ObjectId& object = state_.objects[object_key(stream, ObjectClass::Mutex)];
    if (!object.valid()) {
        std::string name = origin_of(stream, state_, session_->names.threads);
        if (name.empty()) name = session_->names.threads.name(thread.id) + "/stream";
        object = session_->names.objects.intern(name + " (stream)");
        session_->set_stream_lock(object);
        state_.model.init(object, {.object_class = ObjectClass::Mutex, .mutex_kind = MutexKind::Recursive});
    }
    return object;
}

void Run::mark_destroyed(RemoteAddress object, ObjectClass object_class) {
    if (const auto at = object_layout::destroyed_mark_at(object_class)) {
        static_cast<void>(memory_.write_value(object + *at, object_layout::destroyed_mark));
    }
}

ObjectId Run::make_object(VirtualThread& thread, RemoteAddress address, ObjectClass object_class) {
    std::string name = state_.loaded->modules.variable_name(address);
    if (name.empty()) {
        unsigned& made = thread.objects_made[static_cast<std::size_t>(object_class)];
        made += 1;
        name = session_->names.threads.name(thread.id) + "/" + std::string(class_name(object_class)) + "#" +
               std::to_string(made);
    }
    const ObjectId object = session_->names.objects.intern(name);
    if (state_.loaded->modules.is_runtime_data(address)) session_->set_internal(object);
    state_.objects[object_key(address, object_class)] = object;
    return object;
}

Run::Next Run::on_initialize(VirtualThread& thread, RemoteAddress function, const Breakpoint& breakpoint) {
    const user_regs_struct& registers = thread.registers;
    const Hook& hook = *breakpoint.hook;
    const ObjectClass object_class =
        hook.use == CallUse::SpinInitOrUnlock ? ObjectClass::SpinLock : hook.object_class;
    const ObjectId object = make_object(thread, RemoteAddress{registers.rdi}, object_class);
    ObjectInit init{.object_class = object_class};
    switch (object_class) {
        case ObjectClass::Semaphore:
        case ObjectClass::Barrier:
            init.value = static_cast<std::uint32_t>(registers.rdx);
            break;
        case ObjectClass::Mutex:
            // Its kind is in memory once its own code has run; the first operation reads it there.
            break;
        case ObjectClass::RwLock:
            if (registers.rsi != 0) {
                // pthread_rwlockattr_t starts with the kind (struct pthread_rwlockattr.lockkind).
                const auto kind = memory_.read_value<int>(RemoteAddress{registers.rsi});
                if (kind && kind.value() == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) {
                    init.rw_policy = RwPolicy::PreferWriter;
                }
            }
            break;
        default:
            break;
    }
    if (const auto misuse = state_.model.init(object, init)) {
        return fail(thread, {.kind = RunEnd::Kind::Misused, .misuse = misuse}, site_of_caller(thread));
    }
    return enter_native(thread, function, breakpoint);
}

}  // namespace coopcheck::tracer
