#include "explorer/later_moves.hpp"

#include <algorithm>

#include "explorer/faults.hpp"

namespace coopcheck {

std::vector<LaterMove>::iterator find_covering(std::vector<LaterMove>& later,
                                               const std::vector<Move>& sequence) {
    return std::find_if(later.begin(), later.end(),
                        [&](const LaterMove& entry) { return is_initial(entry.move, sequence); });
}

void ask_for(const AskedSequence& asked, WakeupTree& todo, std::vector<LaterMove>& later) {
    const auto known = find_covering(later, asked.moves);
    if (asked.needed <= asked.bound) {
        todo.insert_alone(known != later.end() ? known->move : asked.moves.front());
        if (known != later.end()) {
            later.erase(known);
        }
    } else if (known != later.end()) {
        known->preemptions = std::min(known->preemptions, asked.needed);
    } else if (!fault(Fault::ForgetLater)) {
        later.push_back({asked.moves.front(), asked.needed, {}});
    }
}

}  // namespace coopcheck
