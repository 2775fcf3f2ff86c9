// Which locations an operation touches in a given state: the rows of the table in operation.cpp, refined.
#include "core/sync_model.hpp"

namespace coopcheck {

namespace {

void add_bytes(const Operation& operation, bool write, Footprint& footprint) {
    const Location first = operation.location;
    footprint.add(first, write);
    if (first.kind() != Location::Kind::Memory) {
        return;
    }
    for (std::uint32_t byte = 1; byte < operation.size; ++byte) {
        footprint.add(Location::memory(first.value() + byte), write);
    }
}

}  // namespace

void SyncModel::footprint(ThreadId thread, const Operation& operation, Variant variant, bool locks,
                          Footprint& footprint) const {
    const OpTraits& row = traits(operation.kind);
    Touch object_touch = row.object;
    Touch mutex_touch = row.mutex;
    switch (operation.kind) {
        case OpKind::ProcessExit:
        case OpKind::Failure:
            footprint.add(Location::world(), true);
            return;
        case OpKind::Read:
            add_bytes(operation, false, footprint);
            return;
        case OpKind::Write:
        case OpKind::ReadWrite:
            add_bytes(operation, true, footprint);
            return;
        case OpKind::Output:
            footprint.add(operation.location, true);
            return;
        case OpKind::SystemCall:
            // A signal changes what its receiver does next, whatever that was.
            footprint.add(operation.location == Location::world() ? Location::world() : Location::kernel(),
                          true);
            break;
        case OpKind::CondResume:
        case OpKind::BarrierResume:
        case OpKind::FutexResume:
            if (this->thread(thread).wake != WakeReason::None) {
                break;  // once woken, it is on its own
            }
            object_touch = Touch::Read;  // waits, or leaves by itself: those who do so do it in any order
            if (variant.kind != Variant::Kind::Normal) {
                mutex_touch = Touch::None;  // does not take the mutex yet
            }
            if (operation.kind == OpKind::CondResume && variant.kind != Variant::Kind::Cancel &&
                spurious_left_ > 0) {
                // The number of spurious wake-ups left is shared by all who wait.
                footprint.add(Location::object(ObjectId{}), variant.kind == Variant::Kind::Spurious);
            }
            break;
        case OpKind::FutexWait:
            if (operation.location != Location{}) {
                footprint.add(operation.location, false);  // compares the word
            }
            break;
        case OpKind::RwUnlock:
            if (known(operation.object) && object(operation.object).owner != thread) {
                object_touch = Touch::Read;  // readers leave in any order
            }
            break;
        case OpKind::OnceEnter:
            if (known(operation.object) && object(operation.object).done) {
                object_touch = Touch::Read;
            }
            break;
        case OpKind::ThreadExit:
            for (const ObjectId held : this->thread(thread).held) {
                footprint.add(Location::object(held), true);
            }
            break;
        default:
            break;
    }
    if (object_touch != Touch::None && (locks || !is_lock(row.object_class))) {
        footprint.add(Location::object(operation.object), object_touch == Touch::Write);
    }
    if (mutex_touch != Touch::None && locks) {
        footprint.add(Location::object(operation.mutex), true);
    }
    if (row.target_thread != Touch::None) {
        footprint.add(Location::thread(operation.thread), row.target_thread == Touch::Write);
    }
    if (row.own_thread != Touch::None) {
        footprint.add(Location::thread(thread), row.own_thread == Touch::Write);
    }
}

}  // namespace coopcheck
