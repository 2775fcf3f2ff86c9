#include "explorer/faults.hpp"

namespace coopcheck {

#ifdef COOPCHECK_FAULTS
Fault& active_fault() {
    static Fault active = Fault::None;
    return active;
}
#endif

}  // namespace coopcheck
