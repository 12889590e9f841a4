#include "sim/skip/alone.h"
#include "base/minmax.h"
#include "core/units.h"

static uint64_t tx_ps_of(const struct alone_host *h)
{
    return model_frame_ps(h->model, h->frame_bytes, h->line_bps);
}

/* Returns the time between packets if the port is the limit: packets of others go in between. */
static uint64_t turn_ps(const struct alone_host *h)
{
    uint64_t tx_ps = tx_ps_of(h);

    return h->other_bps
               ? units_divide(tx_ps, h->line_bps, h->line_bps - h->other_bps - 1, h->line_bps - h->other_bps)
               : tx_ps;
}

/* Sends at a constant rate: all gaps are equal. */
static uint64_t send_evenly(const struct alone_host *h, struct alone *a, uint64_t packets, uint64_t until_ps)
{
    uint64_t gap_ps = model_frame_ps(h->model, h->frame_bytes, a->out.rate_bps), turn = turn_ps(h);

    gap_ps = gap_ps > turn ? gap_ps : turn;
    if (a->at_ps >= until_ps)
        return 0;
    uint64_t count = (until_ps - a->at_ps - 1) / gap_ps + 1;
    count = min_u64(count, packets);
    a->at_ps += count * gap_ps;
    a->seen_ps = a->at_ps - gap_ps;
    a->free_ps = a->seen_ps + tx_ps_of(h);
    a->gap_rate_bps = a->out.rate_bps;
    return count;
}

/* Applies rate changes before until_ps to the waiting packet. */
static void repace(const struct alone_host *h, struct alone *a, void *state, uint64_t until_ps)
{
    while (a->out.due_ps < a->at_ps && a->out.due_ps < until_ps) {
        uint64_t since_ps = a->seen_ps, due_ps = a->out.due_ps > a->free_ps ? a->out.due_ps : a->free_ps;

        if (due_ps >= a->at_ps || due_ps >= until_ps)
            return;
        a->seen_ps = due_ps > since_ps ? due_ps : since_ps + 1;
        h->cc->on_due(h->cc_cfg, state, (struct cc_now){ a->seen_ps, since_ps }, &a->out);
        a->at_ps = a->seen_ps + units_divide(a->at_ps - a->seen_ps, a->gap_rate_bps, a->out.rate_bps - 1,
                                             a->out.rate_bps);
        a->gap_rate_bps = a->out.rate_bps;
    }
}

struct gap { uint64_t rate_bps, ps, turn_ps, tx_ps; };       /* turn_ps: the shortest gap */

static void send_one(const struct alone_host *h, struct alone *a, void *state, struct gap *gap)
{
    struct cc_now now = { a->at_ps, a->seen_ps };

    if (now.ps >= a->out.due_ps)
        h->cc->on_due(h->cc_cfg, state, now, &a->out);
    if (gap->rate_bps != a->out.rate_bps) {
        gap->rate_bps = a->out.rate_bps;
        gap->ps = model_frame_ps(h->model, h->frame_bytes, gap->rate_bps);
        gap->ps = gap->ps > gap->turn_ps ? gap->ps : gap->turn_ps;
    }
    a->gap_rate_bps = a->out.rate_bps;
    a->seen_ps = now.ps;
    a->at_ps = now.ps + gap->ps;
    a->free_ps = now.ps + gap->tx_ps;
    if (a->out.counts_bytes)
        h->cc->on_sent(h->cc_cfg, state, now, h->frame_bytes, &a->out);
}

uint64_t alone_send(const struct alone_host *h, struct alone *a, void *state, uint64_t packets,
                    uint64_t steps, uint64_t until_ps)
{
    struct gap gap = { 0, 0, turn_ps(h), tx_ps_of(h) };
    uint64_t   count = 0;

    for (;;) {
        repace(h, a, state, until_ps);
        if (count == packets || count == steps || a->at_ps >= until_ps || a->out.rate_bps > h->most_bps)
            return count;
        if (a->out.due_ps == NEVER && !a->out.counts_bytes)
            return count + send_evenly(h, a, packets - count, until_ps);
        send_one(h, a, state, &gap);
        count++;
    }
}
