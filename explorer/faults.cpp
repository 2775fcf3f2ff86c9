#include "explorer/faults.hpp"

#ifdef COOPCHECK_FAULTS
#include <cstdlib>
#endif

namespace coopcheck {

#ifdef COOPCHECK_FAULTS
Fault active_fault() {
    static const Fault active = [] {
        const char* number = std::getenv("COOPCHECK_FAULT");
        return number == nullptr ? Fault::None : static_cast<Fault>(std::strtol(number, nullptr, 10));
    }();
    return active;
}
#endif

}  // namespace coopcheck
