/* src/sim/host/pacer.h - which queue pairs of a host may send now, and when the others may.
 *
 * A pacer works off the bits of a flow's last packet at the flow's rate: until next_ps it waits. A model may
 * move next_ps when the rate changes (repace); otherwise next_ps stays where it was set.
 */
#ifndef SIM_HOST_PACER_H
#define SIM_HOST_PACER_H

#include "sim/host/nic.h"

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

/* A flow may send now. */
static inline void pacer_set_ready(struct host *h, const struct flow *f)
{
    bit_set(h->ready, f->position);
    h->ready_count++;
    if (__builtin_expect(h->ready_prios, 0) && !(h->ready_prios >> f->prio & 1))
        h->ready_prios = 0;
}

/* May it have more bytes on their way? */
bool pacer_has_window(const struct sim *, const struct host *, const struct flow *);

/* The same, but one packet more if no packet on its way has asked for an ACK. A window may shrink below the
 * bytes on their way: with several packets per ACK, the receiver may then wait for more of them, and the
 * sender for an ACK. */
bool pacer_may_send(const struct sim *, const struct host *, const struct flow *);

/* has_held: may a flow that is ready not go now, at the rate and the window of this moment? */
bool pacer_is_held(const struct sim *, const struct host *, struct flow *);

/* Puts a flow where it belongs: ready, waiting for its pacer, or neither. */
void pacer_sort_in(struct sim *, struct host *, struct flow *);

/* Of a flow that is ready and has sent, but not all, and that no window holds: it waits. */
void pacer_put_off(struct sim *, struct host *, struct flow *);

/* Congestion control has spoken: a flow that waits may have a new rate, or a new time at which it will
 * change. */
void pacer_on_decision(struct sim *, struct host *, struct flow *);

/* model.repace of a real NIC: what is left of the gap takes as much longer or shorter as the rate has
 * changed. */
void pacer_repace(const struct sim *, struct flow *);

/* The fork, of a control that repaces: the next packet goes when it would if the last had been paced at the
 * rate that is decided on now, be that in the past and be it the same; and a wake-up that is armed for later
 * moves, even if it is not this flow that it is for. */
void pacer_repace_last(struct sim *, struct host *, struct flow *);

/* Those whose pacer lets them send by now become ready. */
void pacer_release(struct sim *, struct host *);

/* Nothing may go now, or before since_ps: arms the host's wake-up. */
void pacer_await(struct sim *, struct host *, uint64_t since_ps);

/* Is the host's wake-up armed, and soon enough for those that wait? */
static inline bool pacer_is_awaited(const struct host *h)
{
    return h->wake.next != EVQ_IDLE && h->wake.at_ps <= h->heap_ps[0];
}

/* Is there nobody who may go by then? */
static inline bool pacer_is_later(const struct host *h, uint64_t ps)
{
    return !h->heap_count || h->heap_ps[0] > ps;
}

/* The rate at which packets follow each other. */
static inline uint64_t pacer_bps(const struct sim *s, const struct flow *f)
{
    return s->cfg.is_unpaced ? s->net.host[f->host].port->rate_bps : f->out.rate_bps;
}

/* Time between the start of this packet and the earliest start of the flow's next. */
static inline uint64_t pacer_gap_ps(const struct sim *s, struct flow *f, uint32_t bytes)
{
    if (f->gap_rate_bps != f->out.rate_bps || f->gap_bytes != bytes) {
        f->gap_rate_bps = f->out.rate_bps;
        f->gap_bytes = (uint16_t)bytes;
        f->gap_ps = model_frame_ps(&s->model, bytes, pacer_bps(s, f));
    }
    return f->gap_ps;
}

#endif
