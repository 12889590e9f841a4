/* src/sim/nic/pacer.h - which queue pairs of a host may send now, and when the others may.
 *
 * After each packet, the pacer delays the flow until next_ps: the time the packet takes at the flow's rate. A
 * model may move next_ps when the rate changes (repace); otherwise next_ps stays where it was set.
 */
#ifndef SIM_NIC_PACER_H
#define SIM_NIC_PACER_H

#include "sim/transport/transport.h"

#define NOT_IN_HEAP UINT32_MAX

static inline void bit_set(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= 1ull << (i % 64);
}

static inline void bit_clear(uint64_t *bits, uint32_t i)
{
    bits[i / 64] &= ~(1ull << (i % 64));
}

static inline bool bit_is_set(const uint64_t *bits, uint32_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

/* Marks a flow as ready to send. */
static inline void pacer_set_ready(struct host *h, const struct flow *f)
{
    bit_set(h->ready, f->position);
    h->ready_count++;
    if (__builtin_expect(h->ready_prios, 0) && !(h->ready_prios >> f->prio & 1))
        h->ready_prios = 0;
}

/* Returns true if the window of a queue pair allows more bytes in flight. */
bool pacer_has_window(const struct sim *, const struct host *, const struct flow *);

/* Returns true if window or credit of a flow allow a packet. */
static inline bool pacer_may_send(const struct sim *s, const struct host *h, const struct flow *f)
{
    return transport_of(s, f)->may_send(s, h, f);
}

/* has_held: returns true if the window blocks a ready flow at the current rate. */
bool pacer_is_held(const struct sim *, const struct host *, struct flow *);

/* Updates the state of a flow: ready, waiting for its pacer, or neither. */
void pacer_sort_in(struct sim *, struct host *, struct flow *);

/* Same for a flow that is not paced. */
void pacer_sort_in_unpaced(struct sim *, struct host *, struct flow *);

/* A ready flow has sent and has bytes left, but no window: it waits. */
void pacer_put_off(struct sim *, struct host *, struct flow *);

/* Congestion control has updated a waiting flow: its rate or the time of its next update. */
void pacer_on_decision(struct sim *, struct host *, struct flow *);

/* Runs every flow's congestion control timers up to now. */
void pacer_catch_up(struct sim *, struct host *);

/* model.repace of a real NIC: the rest of the gap is scaled by the change of the rate. */
void pacer_repace(const struct sim *, struct flow *);

/* The forks, for congestion controls that repace: moves the next packet to where it would be if the last one
 * had been paced at the new rate, even if that is in the past or the rate is unchanged. A later wake-up moves
 * to this time, even if it is for another flow. */
void pacer_repace_last(struct sim *, struct host *, struct flow *);

/* Makes waiting flows that are due ready. */
void pacer_release(struct sim *, struct host *);

/* No flow may send before since_ps: arms the wake-up of the host. */
void pacer_await(struct sim *, struct host *, uint64_t since_ps);

/* Same, for a given time. */
void pacer_await_at(struct sim *, struct host *, uint64_t at, uint64_t since_ps);

/* Returns true if the wake-up is armed, and early enough. */
static inline bool pacer_is_awaited(const struct host *h)
{
    return h->wake.next != EVQ_IDLE && h->wake.at_ps <= h->heap_ps[0];
}

/* Returns true if no waiting flow is due by 'ps'. */
static inline bool pacer_is_later(const struct host *h, uint64_t ps)
{
    return !h->heap_count || h->heap_ps[0] > ps;
}

/* Returns the pacing rate. */
static inline uint64_t pacer_bps(const struct sim *s, const struct flow *f)
{
    return s->cfg.is_unpaced ? s->net.host[f->host].port->rate_bps : f->out.rate_bps;
}

/* Returns the time between the start of this packet and the earliest start of the flow's next. */
static inline uint64_t pacer_gap_ps(const struct sim *s, struct flow *f, uint32_t bytes)
{
    if (f->gap_rate_bps != f->out.rate_bps || f->gap_bytes != bytes) {
        f->gap_rate_bps = f->out.rate_bps;
        f->gap_bytes = (uint16_t)bytes;
        f->gap_ps = model_frame_ps(&s->model, bytes, pacer_bps(s, f));
    }
    return f->gap_ps;
}

/* ---- the retransmission timer: one event per host, for the first queue pair to time out ----
 *
 * A queue pair's timeout counts from the last acknowledgement of new bytes, or from the start of sending. A
 * model may have other rules: see model.on_timeout. */

/* Schedules the event, unless it is pending, with the order key of an event for order_ps. */
void rto_await(struct sim *, const struct host *, uint64_t at_ps, uint64_t order_ps);

/* Restarts the timeout of a queue pair. */
void rto_restart(struct sim *, const struct host *, struct flow *);

/* rto_on_start(): a queue pair starts. rto_cancel(): the last one of a host is done. */
void rto_on_start(struct sim *, const struct host *, struct flow *);
void rto_cancel(struct sim *, const struct host *);

#endif
