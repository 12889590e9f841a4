#include "sim/transport/rc/rc.h"
#include "sim/nic/pacer.h"

/* Allows one more packet than the window if no packet in flight has requested an ACK. If a window shrinks
 * below the bytes in flight and one ACK covers several packets, the receiver could wait for packets and the
 * sender for an ACK. */
static bool may_send(const struct sim *s, const struct host *h, const struct flow *f)
{
    return pacer_has_window(s, h, f) || (s->hosts.after_send & SENT_ASKS && f->asked <= f->acked);
}

const struct transport transport_rc = {
    .name = "rc", .is_paced = true,
    .may_send = may_send, .next = rc_next, .timer = rc_timer,
};
