#include "tracer/call_listener.hpp"

#include <linux/seccomp.h>
#include <sys/ioctl.h>

namespace coopcheck::tracer {

void CallListener::answer() const {
    // The kernel wants to see zeros.
    seccomp_notif call{};
    // A call that a signal has interrupted meanwhile is made again and comes again: no failure of ours.
    if (::ioctl(file_.descriptor(), SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return;
    seccomp_notif_resp answer{};
    answer.id = call.id;
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    static_cast<void>(::ioctl(file_.descriptor(), SECCOMP_IOCTL_NOTIF_SEND, &answer));
}

}  // namespace coopcheck::tracer
