#include "sim/transport/rc/rc.h"
#include "sim/nic/pacer.h"
#include "sim/transport/rc/selective_repeat.h"
#include "sim/state/ideal.h"

/* Allows one more packet than the window if no packet in flight has requested an ACK. If a window shrinks
 * below the bytes in flight and one ACK covers several packets, the receiver could wait for packets and the
 * sender for an ACK. */
static bool may_send(const struct sim *s, const struct host *h, const struct flow *f)
{
    return pacer_has_window(s, h, f) || (s->hosts.after_send & SENT_ASKS && f->asked <= f->acked);
}

static uint64_t ideal_ps(const struct sim *s, const struct host *h, const struct flow_spec *spec)
{
    return sim_ideal_message_ps(s, h->node, spec);
}

static struct flow_control control(const struct sim *s, const struct host *h)
{
    (void)s;
    return (struct flow_control){ h->cc, h->cc_cfg };
}

static void open(struct sim *s, struct flow *f)
{
    if (s->flows.selective_tx)
        s->flows.selective_tx[f - s->flows.flow] = (struct selective_tx){ 0 };
}

const struct transport transport_rc = {
    .name = "rc", .is_paced = true, .has_control_by_class = true, .ideal_ps = ideal_ps, .control = control,
    .open = open, .may_send = may_send, .next = rc_next, .timer = rc_timer,
};
