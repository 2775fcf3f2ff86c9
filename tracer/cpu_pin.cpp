#include "tracer/cpu_pin.hpp"

namespace coopcheck::tracer {

cpu_set_t allowed_cpus() {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    // Fails on machines with more CPUs than the set has room for.
    if (::sched_getaffinity(0, sizeof cpus, &cpus) != 0) CPU_SET(0, &cpus);
    return cpus;
}

CpuPin::CpuPin() : before_(allowed_cpus()) {
    cpu_set_t one;
    CPU_ZERO(&one);
    const int here = ::sched_getcpu();
    CPU_SET(static_cast<std::size_t>(here < 0 ? 0 : here), &one);
    // A machine that does not allow it makes us slow, not wrong.
    static_cast<void>(::sched_setaffinity(0, sizeof one, &one));
}

CpuPin::~CpuPin() { static_cast<void>(::sched_setaffinity(0, sizeof before_, &before_)); }

}  // namespace coopcheck::tracer
