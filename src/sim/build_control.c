#include "sim/build.h"
#include "sim/nic/nic.h"

/* Returns what a NIC of this speed knows about its network. */
static struct cc_link link_of(const struct sim *s, uint64_t line_bps, bool is_uet)
{
    return (struct cc_link){ .line_bps = line_bps, .base_rtt_ps = s->net.base_rtt_ps,
                             .mtu_bytes = s->cfg.mtu_bytes,
                             .bdp_bytes = s->net.bdp_bytes, .is_uet = is_uet,
                             .is_fork = s->cfg.model == MODEL_HPCC,
                             .fork = s->cfg.fork,
                             .rlcc = s->cfg.rlcc };
}

static struct knobs knobs_of(const struct sim *s, const struct knobs *knobs, uint64_t line_bps)
{
    return knobs_at_speed(knobs, (double)line_bps / (double)s->hosts.fastest_bps);
}

/* ---- building ---- */

void control_build(struct sim *s)
{
    bool forgets = false;

    for (uint32_t i = 0; sim_cc(&s->cfg, i); i++)
        forgets |= sim_cc(&s->cfg, i)->forget != NULL;
    s->hosts.cc_cfg = arena_alloc(&s->arena, 2ul * s->net.hosts, CC_CFG_MAX);
    if (forgets)
        s->hosts.cc_forgot = arena_alloc(&s->arena, 2ul * s->net.hosts, CC_CFG_MAX);
    s->hosts.cc_at = arena_alloc(&s->arena, 2ul * s->net.hosts, sizeof *s->hosts.cc_at);
    if (s->cfg.model == MODEL_UET)
        s->hosts.own_control = arena_alloc(&s->arena, s->net.hosts, sizeof *s->hosts.own_control);
}

/* Returns the index of a shared configuration, added if it is new. */
static uint32_t find_or_add(struct sim *s, struct cc_at own)
{
    uint32_t c = 0;

    while (c < s->hosts.cc_cfgs && (s->hosts.cc_at[c].rate_bps != own.rate_bps ||
                                    s->hosts.cc_at[c].cc != own.cc || s->hosts.cc_at[c].is_uet != own.is_uet))
        c++;
    if (c == s->hosts.cc_cfgs)
        s->hosts.cc_at[s->hosts.cc_cfgs++] = own;
    return c;
}

static void share(const struct sim *s, struct host *h)
{
    h->cc_cfg = s->hosts.cc_cfg + (size_t)h->cc_at * CC_CFG_MAX;
    if (s->hosts.own_control)
        s->hosts.own_control[h->id].cfg = s->hosts.cc_cfg +
                                          (size_t)s->hosts.own_control[h->id].at * CC_CFG_MAX;
}

void control_add_host(struct sim *s, struct host *h)
{
    uint32_t first = s->cfg.cc_by_node ? s->cfg.cc_by_node[h->node] : sim_cc_of_pairs(&s->cfg);
    uint64_t bps = h->port->rate_bps;

    if (bps > s->hosts.fastest_bps)
        s->hosts.fastest_bps = bps;
    h->cc = sim_cc(&s->cfg, first);
    h->cc_at = find_or_add(s, (struct cc_at){ h->cc, bps, .is_uet = s->cfg.model == MODEL_UET &&
                                              first == 0 });
    if (s->hosts.own_control)
        s->hosts.own_control[h->id].at = find_or_add(s, (struct cc_at){ s->cfg.cc, bps, .is_uet = true });
    share(s, h);
}

size_t control_state_bytes(const struct sim *s)
{
    struct cc_link link = link_of(s, 0, false);
    size_t         most = 0;

    for (uint32_t i = 0; sim_cc(&s->cfg, i); i++) {
        const struct cc_algo *cc = sim_cc(&s->cfg, i);
        size_t                bytes = cc->state_bytes ? cc->state_bytes(&link) : cc->state_size;

        most = bytes > most ? bytes : most;
    }
    return most;
}

bool control_takes_turns(const struct sim_cfg *c)
{
    for (uint32_t i = 0; sim_cc(c, i); i++)
        if (sim_cc(c, i)->takes_turns)
            return true;
    return false;
}

/* ---- knobs ---- */

void control_configure(struct sim *s)
{
    for (uint32_t i = 0; i < s->hosts.cc_cfgs; i++) {
        const struct cc_at *at = &s->hosts.cc_at[i];
        struct cc_link      link = link_of(s, at->rate_bps, at->is_uet);
        struct knobs        own = knobs_of(s, &s->cfg.knobs, at->rate_bps);

        at->cc->configure(s->hosts.cc_cfg + (size_t)i * CC_CFG_MAX, &own, &link);
        if (at->cc->forget) {
            struct knobs left = own;

            at->cc->forget(&left);
            at->cc->configure(s->hosts.cc_forgot + (size_t)i * CC_CFG_MAX, &left, &link);
        }
    }
}

void control_share(struct sim *s)
{
    for (uint32_t i = 0; i < s->net.hosts; i++)
        share(s, &s->net.host[i]);
}

void control_apply_host(struct sim *s, struct host *h, const struct knobs *knobs)
{
    const struct cc_at *at = &s->hosts.cc_at[h->cc_at], *uet;
    struct cc_link      link = link_of(s, h->port->rate_bps, at->is_uet);
    struct knobs        here = knobs_of(s, knobs, h->port->rate_bps);

    if (!s->hosts.cc_own)
        s->hosts.cc_own = xcalloc(2ul * s->net.hosts, CC_CFG_MAX);
    char *own = s->hosts.cc_own + 2ul * h->id * CC_CFG_MAX;
    at->cc->configure(own, &here, &link);
    h->cc_cfg = own;
    if (!s->hosts.own_control)
        return;
    uet = &s->hosts.cc_at[s->hosts.own_control[h->id].at];
    link.is_uet = true;
    uet->cc->configure(own + CC_CFG_MAX, &here, &link);
    s->hosts.own_control[h->id].cfg = own + CC_CFG_MAX;
}
