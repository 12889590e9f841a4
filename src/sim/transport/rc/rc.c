#include "sim/transport/rc/rc.h"
#include "sim/nic/pacer.h"
#include "sim/transport/rc/selective_repeat.h"
#include "sim/nic/flow.h"
#include "sim/state/ideal.h"

static void reserve(struct sim *s, uint32_t flows)
{
    struct rc own = { .asks = s->model.asks && s->cfg.ack_every > 1 };

    if (s->cfg.is_selective) {
        own.tx = arena_alloc(&s->arena, flows, sizeof *own.tx);
        own.rx = arena_alloc(&s->arena, flows, sizeof *own.rx);
    }
    if (!own.asks && !own.tx && !s->cfg.receives && !s->model.on_sent)
        return;
    struct rc *rc = arena_alloc(&s->arena, 1, sizeof *rc);
    *rc = own;
    s->hosts.own[TRANSPORT_RC] = rc;
}

/* Allows one more packet than the window if no packet in flight has requested an ACK. If a window shrinks
 * below the bytes in flight and one ACK covers several packets, the receiver could wait for packets and the
 * sender for an ACK. */
static bool may_send(const struct sim *s, const struct host *h, const struct flow *f)
{
    return pacer_has_window(s, h, f) || (rc_of(s) && rc_of(s)->asks && f->asked <= f->acked);
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
    if (s->cfg.is_selective)
        rc_of(s)->tx[f - s->flows.flow] = (struct selective_tx){ 0 };
}

/* Selective repeat: what the receiver has, in order or not. Bytes behind a loss would otherwise count all at
 * once when it is repaired, faster than any link. The last packet of a message counts as a full one. */
static uint64_t arrived_bytes(const struct sim *s, const struct flow *f)
{
    size_t   flow = (size_t)(f - s->flows.flow);
    uint64_t begin = f->is_lasting ? s->flows.pairs.posted[pair_of(s, f)->head].begin : 0, end;

    if (!s->cfg.is_selective)
        return pair_acked(s, f);
    if (s->flows.rx[flow].generation != f->generation)
        return 0;                /* nothing has arrived yet */
    end = (uint64_t)selective_arrived(&rc_of(s)->rx[flow]) * s->cfg.mtu_bytes;
    end = !f->is_lasting && end > f->bytes ? f->bytes : end;
    return end > begin ? end - begin : 0;
}

const struct transport transport_rc = {
    .name = "rc", .is_paced = true, .has_control_by_class = true, .reserve = reserve, .ideal_ps = ideal_ps,
    .control = control, .open = open, .may_send = may_send, .seek = rc_seek, .next = rc_next,
    .timer = rc_timer, .arrived_bytes = arrived_bytes,
};
