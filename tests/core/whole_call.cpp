#include "tests/core/whole_call.hpp"

#include "tests/core/model_bench.hpp"
#include "tests/core/native_objects.hpp"

namespace coopcheck {

std::optional<WholeCall> whole_call(const SyncModel& model, ThreadId thread, const Operation& operation,
                                    bool once_throws) {
    WholeCall call{.after = model, .result = 0, .misuse = std::nullopt};
    Operation now = operation;
    while (true) {
        const std::vector<Variant> options = call.after.options(thread, now);
        if (options.empty() && !call.after.can_time_out(thread, now)) {
            return std::nullopt;
        }
        const Outcome outcome =
            call.after.apply(thread, now, options.empty() ? Variant::timeout() : options.front());
        call.result = outcome.result;
        call.misuse = outcome.misuse;
        if (outcome.run_once_routine) {
            const OpKind end = once_throws ? OpKind::OnceAbort : OpKind::OnceDone;
            call.after.apply(thread, bench::on(end, now.object), Variant::normal());
            call.result = once_throws ? NativeObjects::once_threw : NativeObjects::once_ran;
        }
        if (!outcome.parked_at) {
            return call;
        }
        now = *outcome.parked_at;
    }
}

}  // namespace coopcheck
