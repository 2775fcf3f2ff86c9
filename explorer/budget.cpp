#include "explorer/budget.hpp"

namespace coopcheck {

bool Budget::is_spent() {
    if (!reason_.empty()) {
        return true;
    }
    if (schedules_ >= limits_.schedules) {
        reason_ = "the limit on schedules was reached";
    } else if (steps_ >= limits_.steps) {
        reason_ = "the limit on steps was reached";
    } else if (limits_.interruption) {
        reason_ = limits_.interruption().value_or("");
    }
    return !reason_.empty();
}

}  // namespace coopcheck
