#include "sim/transport/uet/uet.h"
#include "sim/state/ideal.h"

#define POOL_BYTES_MAX  (24ull << 30)    /* address space of the senders' state, per part */

/* ---- memory ---- */

/* Line 0 and those after it serve a connection that found no room. */
static struct uet_pool new_pool(struct sim *s, uint32_t ring, uint64_t flows)
{
    uint64_t each = (uet_tx_bytes(ring) + EVQ_LINE - 1) / EVQ_LINE, most = POOL_BYTES_MAX / EVQ_LINE;
    uint64_t lines = (flows + 1) * each, limit = lines < most ? lines : most;

    return (struct uet_pool){ .line = arena_alloc(&s->arena, limit, EVQ_LINE), .used = (uint32_t)each,
                              .limit = (uint32_t)limit };
}

uint64_t uet_bdp_packets(const struct sim *s)
{
    unsigned __int128 bits = (unsigned __int128)s->net.base_rtt_ps * s->hosts.fastest_bps / PS_PER_S;

    return (uint64_t)(bits / 8) / (s->cfg.mtu_bytes + s->cfg.header_bytes) + 1;
}

static uint32_t ring_for(uint64_t packets)
{
    uint32_t ring = UET_RING_MIN;

    while (ring < packets && ring < UET_RING_MAX)
        ring *= 2;
    return ring;
}

static void reserve(struct sim *s, uint32_t flows)
{
    uint64_t    bdp = uet_bdp_packets(s);
    uint32_t    ring = ring_for(6 * bdp);
    struct uet *u;

    if (!s->sw.trim.classes)
        return;
    s->hosts.own[TRANSPORT_UET] = u = arena_alloc(&s->arena, 1, sizeof *u);
    *u = (struct uet){ .has_credit = s->cfg.cc->has_credit, .ring = ring,
                       .window_bytes_max = bdp * s->cfg.mtu_bytes * 3 / 2,
                       .host = arena_alloc(&s->arena, s->net.hosts, sizeof *u->host),
                       .rx = arena_alloc(&s->arena, flows, uet_rx_bytes(ring)),
                       .rx_stride = uet_rx_bytes(ring),
                       .at = arena_alloc(&s->arena, flows, sizeof *u->at),
                       .pool = new_pool(s, ring, flows) };
}

static void reserve_part(struct sim *s)
{
    const struct uet *whole = uet_of(s);
    struct uet       *part;

    if (!whole)
        return;
    s->hosts.own[TRANSPORT_UET] = part = arena_alloc(&s->arena, 1, sizeof *part);
    *part = *whole;
    part->pool = new_pool(s, part->ring, s->flows.limit - s->flows.first);
}

static bool has_timers(const struct sim *s)
{
    return uet_of(s) && uet_of(s)->has_credit;
}

/* ---- flows ---- */

static bool takes(const struct sim *s, const struct host *h, const struct flow_spec *spec)
{
    (void)h;
    return s->sw.trim.prios >> spec->prio & 1;
}

static uint64_t ideal_ps(const struct sim *s, const struct host *h, const struct flow_spec *spec)
{
    return sim_ideal_message_ps(s, h->node, spec);
}

static struct flow_control control(const struct sim *s, const struct host *h)
{
    return (struct flow_control){ s->cfg.cc, uet_cfg(s, h) };
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
    .has_timers = has_timers, .takes = takes, .ideal_ps = ideal_ps, .control = control, .open = uet_open,
    .wake = uet_wake, .on_more = on_more, .may_send = may_send, .next = uet_next, .timer = uet_on_timeout,
};
