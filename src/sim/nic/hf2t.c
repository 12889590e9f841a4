#include "sim/nic/hf2t.h"

#include <string.h>

static uint64_t us_to_ps(double us)
{
    return knob_whole(us, PS_PER_US);
}

static struct hf2t_cfg cfg_of(const double *v)
{
    struct hf2t_cfg c = { 0 };

    c.is_on = v[KNOB_hf2t] > 0;
    c.is_natural = v[KNOB_hf2t_natural] > 0;
    c.scope = (uint8_t)v[KNOB_hf2t_scope];
    c.min = v[KNOB_hf2t_dynamic] > 0 ? (uint32_t)v[KNOB_hf2t_min] : 0;
    c.max = v[KNOB_hf2t_dynamic] > 0 ? (uint32_t)v[KNOB_hf2t_max] : UINT32_MAX;
    c.threshold_ps = us_to_ps(v[KNOB_hf2t_threshold] > 0 ? v[KNOB_hf2t_threshold] : v[KNOB_flowlet_timeout]);
    c.training_ps = us_to_ps(v[KNOB_hf2t_training]);
    c.quiet_ps = us_to_ps(v[KNOB_hf2t_quiet]);
    c.percentile = v[KNOB_hf2t_percentile];
    c.guard = v[KNOB_hf2t_guard];
    return c;
}

static struct hf2t *new_of(struct sim *s)
{
    struct hf2t *t = arena_alloc(&s->arena, 1, sizeof *t);

    t->qp = arena_alloc(&s->arena, s->flows.limit, sizeof *t->qp);
    t->host = arena_alloc(&s->arena, s->net.hosts, sizeof *t->host);
    return t;
}

static struct hf2t_qp new_qp(uint32_t host, uint64_t now_ps)
{
    return (struct hf2t_qp){ .host = host, .sent_ps = now_ps, .start_ps = now_ps };
}

static void set_hosts(struct sim *s)
{
    struct hf2t *t = s->hosts.hf2t;

    for (uint32_t i = 0; i < s->net.hosts; i++) {
        const struct port *p = s->net.host[i].port;
        struct hf2t_host  *h = &t->host[i];

        h->near_ps = 0;
        h->guard_bps = (uint64_t)(t->cfg.guard * (double)p->rate_bps);
        h->hold_ps = t->cfg.threshold_ps + p->tx_ps[s->cfg.mtu_bytes + s->cfg.header_bytes] + PS_PER_NS;
    }
}

void hf2t_join(struct sim *s, struct hf2t *t, bool is_new)
{
    const struct flows *all = &s->flows;

    s->hosts.hf2t = t;
    for (uint32_t i = all->first; i < all->used; i++)
        if (is_new)
            t->qp[i] = new_qp(all->flow[i].host, s->engine.now_ps);
        else
            t->qp[i].near_ps = 0;        /* T must be copied again */
}

static bool is_same(const struct hf2t_cfg *a, const struct hf2t_cfg *b)
{
    return a->is_on == b->is_on && a->is_natural == b->is_natural && a->scope == b->scope &&
           a->min == b->min &&
           a->max == b->max && a->threshold_ps == b->threshold_ps && a->training_ps == b->training_ps &&
           a->quiet_ps == b->quiet_ps && a->percentile == b->percentile && a->guard == b->guard;
}

bool hf2t_configure(struct sim *s, bool *is_new)
{
    struct hf2t_cfg c = cfg_of(s->cfg.knobs.value);

    if (s->hosts.hf2t ? is_same(&c, &s->hosts.hf2t->cfg) : !c.is_on)
        return false;
    if (!s->hosts.hf2t)
        s->hosts.hf2t = new_of(s);
    struct hf2t *t = s->hosts.hf2t;
    *is_new = c.is_on != t->cfg.is_on;
    t->cfg = c;
    if (*is_new)
        t->since_ps = s->engine.now_ps;
    if (c.scope == HF2T_QUEUE_PAIR && !t->qp_gaps)
        t->qp_gaps = arena_alloc(&s->arena, s->flows.limit, sizeof *t->qp_gaps);
    set_hosts(s);
    return true;
}

void hf2t_await_stop(struct sim *s)
{
    struct hf2t *t = s->hosts.hf2t;

    t->stop_ps = NEVER;
    if (!t->cfg.is_on || t->cfg.scope != HF2T_NETWORK)
        return;
    t->stop_ps = t->since_ps + t->cfg.training_ps;
    if (t->stop_ps <= s->engine.now_ps && s->engine.now_ps > 0)
        hf2t_on_stop(s);
}

void hf2t_on_start(struct hf2t *t, uint32_t flow, uint32_t host, uint64_t now_ps)
{
    t->qp[flow] = new_qp(host, now_ps);
    if (t->cfg.scope == HF2T_QUEUE_PAIR)
        memset(&t->qp_gaps[flow], 0, sizeof t->qp_gaps[flow]);
}

void hf2t_on_stop(struct sim *s)
{
    struct hf2t *t = s->hosts.hf2t;
    struct gaps  all = { 0 };

    for (uint32_t i = 0; i < s->net.hosts; i++)
        gaps_merge(&all, &t->host[i].gaps);
    if (all.count < HF2T_GAPS_MIN) {
        t->stop_ps = s->engine.now_ps + t->cfg.training_ps;
        return;
    }
    for (uint32_t i = 0; i < s->net.hosts; i++)
        t->host[i].near_ps = gaps_percentile(&all, t->cfg.percentile);
    t->stop_ps = NEVER;
}

/* Training: adds a gap. T may be known afterwards. */
static void learn(struct hf2t *t, struct hf2t_host *h, struct hf2t_qp *q, uint64_t gap_ps, uint64_t now_ps)
{
    bool         is_alone = t->cfg.scope == HF2T_QUEUE_PAIR;
    struct gaps *g = is_alone ? &t->qp_gaps[q - t->qp] : &h->gaps;

    gaps_add(g, gap_ps);
    if (t->cfg.scope == HF2T_NETWORK || g->count < HF2T_GAPS_MIN ||
        now_ps - (is_alone ? q->start_ps : t->since_ps) < t->cfg.training_ps)
        return;
    *(is_alone ? &q->near_ps : &h->near_ps) = gaps_percentile(g, t->cfg.percentile);
}

/* Records a packet, sent x packets after the start of the last flowlet. */
static inline void note_sent(const struct hf2t *t, struct hf2t_qp *q, uint32_t x, uint64_t now_ps)
{
    if (now_ps - q->sent_ps >= t->cfg.threshold_ps && t->cfg.is_natural)
        x = 0;
    q->packets = (uint16_t)(x + (x < HF2T_PACKETS_MAX));
    q->sent_ps = now_ps;
    q->is_held = false;
}

/* Training: the packet counts as sent. Returns false if training is over. */
static bool may_learn(struct hf2t *t, uint32_t flow, uint64_t now_ps)
{
    struct hf2t_qp   *q = &t->qp[flow];
    struct hf2t_host *h = &t->host[q->host];

    if (t->cfg.scope != HF2T_QUEUE_PAIR && h->near_ps) {
        q->near_ps = h->near_ps;
        return false;
    }
    if (q->packets)
        learn(t, h, q, now_ps - q->sent_ps, now_ps);
    note_sent(t, q, q->packets, now_ps);
    return true;
}

static bool may_hold(const struct hf2t *t, const struct hf2t_host *h, const struct hf2t_qp *q,
                     uint64_t rate_bps, uint64_t now_ps)
{
    return rate_bps <= h->guard_bps &&
           (!t->cfg.quiet_ps || (q->cnp_ps && now_ps - q->cnp_ps <= t->cfg.quiet_ps));
}

bool hf2t_must_wait(struct hf2t *t, uint32_t flow, uint64_t rate_bps, uint64_t now_ps)
{
    struct hf2t_qp *q = &t->qp[flow];
    uint64_t        gap_ps = now_ps - q->sent_ps;
    uint32_t        x = q->packets;

    if (!q->near_ps && may_learn(t, flow, now_ps))
        return false;
    if (x > 0 && gap_ps < t->cfg.threshold_ps && hf2t_is_near(&t->cfg, q->near_ps, gap_ps, x)) {
        if (may_hold(t, &t->host[q->host], q, rate_bps, now_ps)) {
            q->packets = 0;
            q->is_held = true;
            return true;
        }
        x = 0;
    }
    note_sent(t, q, x, now_ps);
    return false;
}
