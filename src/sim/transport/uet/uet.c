#include "sim/transport/uet/uet.h"
#include "sim/state/ideal.h"

#define POOL_BYTES_MAX  (24ull << 30)    /* address space of the senders' state, per part */

/* ---- memory ---- */

/* Line 0 and those after it serve a connection that found no room. */
static void build_pool(struct sim *s, uint32_t flows)
{
    uint64_t each = (uet_tx_bytes(s->uet.ring) + EVQ_LINE - 1) / EVQ_LINE, most = POOL_BYTES_MAX / EVQ_LINE;
    uint64_t lines = (flows + 1ull) * each;

    s->flows.uet_pool = (struct uet_pool){ .used = (uint32_t)each,
                                           .limit = (uint32_t)(lines < most ? lines : most) };
    s->flows.uet_pool.line = arena_alloc(&s->arena, s->flows.uet_pool.limit, EVQ_LINE);
}

static void reserve(struct sim *s, uint32_t flows)
{
    if (!s->uet.classes)
        return;
    s->flows.uet_rx_stride = uet_rx_bytes(s->uet.ring);
    s->flows.uet_rx = arena_alloc(&s->arena, flows, s->flows.uet_rx_stride);
    s->flows.uet_at = arena_alloc(&s->arena, flows, sizeof *s->flows.uet_at);
    s->uet.host = arena_alloc(&s->arena, s->net.hosts, sizeof *s->uet.host);
    build_pool(s, flows);
}

static void reserve_part(struct sim *s)
{
    if (s->uet.classes)
        build_pool(s, s->flows.limit - s->flows.first);
}

static bool has_timers(const struct sim *s)
{
    return s->uet.has_credit;
}

/* ---- flows ---- */

static bool takes(const struct sim *s, const struct flow_spec *spec)
{
    return s->uet.prios >> spec->prio & 1;
}

static uint64_t ideal_ps(const struct sim *s, const struct host *h, const struct flow_spec *spec)
{
    return sim_ideal_message_ps(s, h->node, spec);
}

static struct flow_control control(const struct sim *s, const struct host *h)
{
    return (struct flow_control){ s->uet.cc, h->uet_cfg };
}

static void on_more(struct sim *s, struct host *h, struct flow *f)
{
    uet_ask(s, h, f, false);
}

static bool may_send(const struct sim *s, const struct host *h, const struct flow *f)
{
    (void)h;
    return uet_may_send(s, f, uet_tx_of(s, f));
}

const struct transport transport_uet = {
    .name = "uet", .is_numbered = true, .reserve = reserve, .reserve_part = reserve_part,
    .has_timers = has_timers, .takes = takes, .ideal_ps = ideal_ps, .control = control, .open = uet_open, .wake = uet_wake,
    .on_more = on_more, .may_send = may_send, .next = uet_next, .timer = uet_on_timeout,
};
