#include "tracer/cpu_pin.hpp"

namespace coopcheck::tracer {

CpuPin::CpuPin() {
    CPU_ZERO(&before_);
    if (::sched_getaffinity(0, sizeof before_, &before_) != 0) {
        CPU_SET(0, &before_);
        return;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    const int here = ::sched_getcpu();
    CPU_SET(static_cast<std::size_t>(here < 0 ? 0 : here), &one);
    // A machine that does not allow it makes us slow, not wrong.
    static_cast<void>(::sched_setaffinity(0, sizeof one, &one));
}

CpuPin::~CpuPin() { static_cast<void>(::sched_setaffinity(0, sizeof before_, &before_)); }

}  // namespace coopcheck::tracer
