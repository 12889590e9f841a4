#include "sim/skip/skip.h"
#include "base/minmax.h"
#include "sim/host/send.h"
#include "sim/skip/hold.h"
#include "sim/skip/leap.h"
#include "sim/skip/skip_allowed.h"
#include "sim/skip/skip_turn.h"

#include <stdlib.h>
#include <string.h>

/* ---- what happens to flows ---- */

/* A message has been posted: its flow uses the ports of its path from now on. */
static void on_start(void *sim, const struct flow *f)
{
    struct sim       *s = sim;
    struct skip      *k = s->skip;
    struct skip_flow *sf = skip_flow_of(k, s, skip_flow_id(s, f));

    skip_follow_changes(k, s);
    if (!f->is_lasting) {
        sf->skipped_to = sf->messages = 0;
        memset(sf->free_ps, 0, sizeof sf->free_ps);
    }
    if (sf->messages++ > 0)
        return;
    skip_flow_find_path(s, f, sf);
    sf->bps = skip_flow_allowed_bps(k, s, f, f->out.rate_bps);
    sf->patience = 0;
    lanes_add(&k->lanes, s, &sf->path, skip_flow_id(s, f), sf->bps);
    hold_break_all(k, s, &sf->path);
    for (uint32_t i = 0; sf->path.hops && i < sf->path.back_hops; i++)
        hold_plan_again(k, s, sf->path.back[i]);
}

/* A message has arrived. */
static void on_arrival(void *sim, const struct flow *f)
{
    struct sim       *s = sim;
    struct skip      *k = s->skip;
    struct skip_flow *sf = skip_flow_of(k, s, skip_flow_id(s, f));

    if (!sf->messages || --sf->messages > 0)
        return;
    skip_flow_count_leaps(s, sf);
    lanes_remove(&k->lanes, s, &sf->path, skip_flow_id(s, f), sf->bps);
    if (sf->path.hops)
        hold_plan_again(k, s, sf->path.back[0]);
}

/* Its receiver misses bytes. Those before skipped_to have not been sent. */
static void on_gap(void *sim, uint32_t flow, struct flow_rx *rx, uint64_t seq)
{
    struct sim *s = sim;
    uint64_t    to = min_u64(seq, skip_flow_of(s->skip, s, flow)->skipped_to);

    if (to <= rx->expected)
        return;
    rx->unacked = (uint32_t)((rx->unacked + (to - rx->expected) / s->cfg.mtu_bytes) % s->cfg.ack_every);
    rx->expected = to;
}

static void on_signal(void *sim, struct flow *f)
{
    struct sim *s = sim;

    hold_break(s->skip, s, f, skip_flow_of(s->skip, s, skip_flow_id(s, f)));
}

static void on_pause(void *sim, const struct port *p)
{
    struct sim        *s = sim;
    const struct lane *lane = &s->skip->lanes.lane[p->id];

    s->skip->lanes.is_full[p->id] = true;
    for (uint32_t i = 0; i < lane->count; i++)
        hold_break(s->skip, s, &s->flows.flow[lane->flow[i]], &s->skip->flow[lane->flow[i]]);
}

static bool is_held(void *sim, const struct flow *f)
{
    struct sim *s = sim;

    return skip_flow_of(s->skip, s, skip_flow_id(s, f))->is_held;
}

/* ---- the world ---- */

void skip_new(struct sim *s)
{
    struct skip *k = xcalloc(1, sizeof *k);

    s->skip = k;
    k->stats.why_not = skip_why_never(s);
    if (k->stats.why_not)
        return;
    lanes_init(&k->lanes, s);
    s->hosts.at_send |= SEND_HELD;
    for (uint32_t i = 0; i < s->net.ports; i++)
        s->net.port[i].slow_path |= SLOW_LEAP;
    s->engine.leaper = (struct engine_leaper){ s, leap_frame };
    s->flow_watch = (struct flow_watcher){ s, on_start, on_arrival, skip_turn, on_gap, on_signal, on_pause,
                                           is_held };
}

void skip_free(struct sim *s)
{
    if (!s->skip)
        return;
    lanes_fini(&s->skip->lanes, s);
    free(s->skip->flow);
    free(s->skip->end_state);
    free(s->skip);
    s->skip = NULL;
}

void skip_settle(struct sim *s)
{
    for (uint32_t i = 0; s->skip && i < s->skip->flows; i++) {
        if (s->skip->flow[i].is_held)
            hold_settle(s->skip, s, &s->flows.flow[i], &s->skip->flow[i]);
        skip_flow_count_leaps(s, &s->skip->flow[i]);
    }
}

void skip_on_change(struct sim *s)
{
    for (uint32_t i = 0; s->skip && i < s->skip->flows; i++)
        hold_break(s->skip, s, &s->flows.flow[i], &s->skip->flow[i]);
}

const struct skip_stats *skip_stats(const struct sim *s)
{
    return s->skip ? &s->skip->stats : NULL;
}
