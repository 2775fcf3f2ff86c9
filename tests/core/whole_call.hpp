#pragma once

#include <optional>

#include "core/sync_model.hpp"

namespace coopcheck {

/// What a call leads to in the model from its start to its return, made by a thread that nobody disturbs.
struct WholeCall {
    SyncModel after;
    int result = 0;
    std::optional<Misuse> misuse;
};

/// The call goes through its second halves and times out where it has to wait. Nothing, if it would wait for
/// ever. `once_throws`: the routine of a once throws. The result of a once is that of NativeObjects::call().
[[nodiscard]] std::optional<WholeCall> whole_call(const SyncModel& model, ThreadId thread,
                                                  const Operation& operation, bool once_throws = false);

}  // namespace coopcheck
