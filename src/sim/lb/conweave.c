#include "sim/lb/conweave.h"
#include "base/err.h"
#include "core/units.h"
#include "sim/lb/lb.h"

#include <stdlib.h>

#define NEVER_PS     UINT64_MAX
#define AGEING_PS    (2 * PS_PER_MS)
#define BEHIND_PS    PS_PER_NS           /* gap between a TAIL and the packets held for it */
#define ROWS_FEWEST  64u

static void conweave_configure(void *cfg, const struct knobs *k)
{
    struct conweave_cfg *c = cfg;

    c->reply_ps = knob_whole(k->value[KNOB_conweave_reply], PS_PER_US);
    c->pause_ps = knob_whole(k->value[KNOB_conweave_pause], PS_PER_US);
    c->flush_ps = knob_whole(k->value[KNOB_conweave_flush], PS_PER_US);
    c->wait_ps = knob_whole(k->value[KNOB_conweave_wait], PS_PER_US);
    c->expiry_ps = knob_whole(k->value[KNOB_conweave_expiry], PS_PER_US);
}

const struct lb_algo lb_conweave = {
    .name      = "conweave",
    .about     = "reroutes flows after late replies; the last switch restores packet order: knobs conweave_*",
    .cfg_size  = sizeof(struct conweave_cfg),
    .configure = conweave_configure,
    .is_woven  = true,
};

/* ---- flow tables ---- */

/* In the fork, ToRs scan their tables every 2 ms and remove flows that were idle for longer. Here the check
 * is lazy, at the next access to the flow. */
static bool is_expired_flow(const struct conweave_tor *t, const struct conweave_row *r, uint64_t now_ps)
{
    uint64_t since = now_ps + 1 - t->first_ps, look = now_ps - since % AGEING_PS;

    return since >= AGEING_PS && look > r->active_ps && look - r->active_ps > AGEING_PS;
}

static struct conweave_row *find_row(const struct conweave_table *t, const struct conweave_key *key)
{
    uint32_t at = ecmp_hash(0, key->src, key->dst, key->ports) & (t->size - 1);

    while (t->row[at].is_used && (t->row[at].key.src != key->src || t->row[at].key.dst != key->dst ||
                                  t->row[at].key.ports != key->ports))
        at = (at + 1) & (t->size - 1);
    return &t->row[at];
}

/* Resizes the table to at least four times the live flows. */
static void resize_table(const struct conweave_tor *tor, struct conweave_table *t, uint64_t now_ps)
{
    struct conweave_table was = *t;
    uint32_t              kept = 0;

    for (uint32_t i = 0; i < was.size; i++)
        kept += was.row[i].is_used && (was.row[i].first || !is_expired_flow(tor, &was.row[i], now_ps));
    t->size = ROWS_FEWEST;
    while (t->size < 4 * kept)
        t->size *= 2;
    t->count = kept;
    t->row = xcalloc(t->size, sizeof *t->row);
    for (uint32_t i = 0; i < was.size; i++)
        if (was.row[i].is_used && (was.row[i].first || !is_expired_flow(tor, &was.row[i], now_ps)))
            *find_row(t, &was.row[i].key) = was.row[i];
    free(was.row);
}

/* Returns the row of a flow. *is_new: the flow is unknown or expired. */
static struct conweave_row *get_row(const struct conweave_tor *tor, struct conweave_table *t, uint64_t now_ps,
                                    const struct conweave_key *key, bool *is_new)
{
    if (2 * t->count >= t->size)
        resize_table(tor, t, now_ps);
    struct conweave_row *r = find_row(t, key);
    *is_new = !r->is_used || is_expired_flow(tor, r, now_ps);
    if (!r->is_used) {
        *r = (struct conweave_row){ .key = *key, .is_used = true };
        t->count++;
    }
    return r;
}

void conweave_fini(struct conweave_tor *t, uint32_t racks)
{
    free(t->tx.row);
    free(t->rx.row);
    for (uint32_t i = 0; i < racks && t->paths; i++)
        free(t->paths[i].id);
    free(t->paths);
    free(t->avoided);
}

/* ---- paths to avoid ---- */

/* Murmur3 of one word, as in the fork. Paths with the same entry overwrite each other. */
static struct conweave_avoided *avoided_entry(const struct conweave_tor *t, uint32_t salt, uint32_t path)
{
    uint32_t hash = ecmp_mix(salt, path) ^ 4;

    hash ^= hash >> 16;
    hash *= 0x85ebca6bu;
    hash ^= hash >> 13;
    hash *= 0xc2b2ae35u;
    return &t->avoided[(hash ^ hash >> 16) % CONWEAVE_ENTRIES];
}

void conweave_notified(const struct conweave_cfg *c, struct conweave_tor *t, uint64_t now_ps, uint32_t salt,
                       uint32_t path)
{
    *avoided_entry(t, salt, path) = (struct conweave_avoided){ path, now_ps + c->pause_ps };
}

static bool is_avoided(const struct conweave_tor *t, uint64_t now_ps, uint32_t salt, uint32_t path)
{
    const struct conweave_avoided *e = avoided_entry(t, salt, path);

    return e->path == path && e->until_ps > now_ps;
}

/* ---- first ToR ---- */

struct path_draw { uint32_t first, good; }; /* good: 0 if both drawn paths are to be avoided */

/* Draws three numbers per packet and discards the first, to match the random sequence of the fork. */
static struct path_draw draw_paths(const struct conweave_tor *t, uint64_t now_ps, const struct lb_switch *sw,
                                   const struct conweave_paths *paths)
{
    if (sw->crand)
        crand_next(sw->crand);
    uint32_t a = paths->id[lb_below(sw, paths->count)];
    uint32_t b = paths->id[lb_below(sw, paths->count)];
    return (struct path_draw){ a, !is_avoided(t, now_ps, sw->salt, a)   ? a
                                  : !is_avoided(t, now_ps, sw->salt, b) ? b
                                                                        : 0 };
}

/* True if the path of a flow still exists. Links may have failed. */
static bool has_path(const struct conweave_paths *paths, uint32_t id)
{
    uint32_t from = 0, to = paths->count;

    while (from < to) {
        uint32_t middle = (from + to) / 2;

        if (paths->id[middle] < id)
            from = middle + 1;
        else
            to = middle;
    }
    return from < paths->count && paths->id[from] == id;
}

/* Returns the path of this packet and updates the flow's path. */
static uint32_t choose_path(struct conweave_tx *f, const struct path_draw *d, bool is_expired, bool is_tail,
                            struct conweave_counters *n)
{
    if (!f->path)
        f->path = d->good ? d->good : d->first;
    uint32_t old = f->path;
    if ((is_expired || is_tail) && d->good) {
        f->path = d->good;
        n->reroutings += f->is_old;
    }
    return is_tail ? old : f->path;
}

void conweave_send(const struct conweave_cfg *c, struct conweave_tor *t, uint64_t now_ps,
                   const struct lb_switch *sw, const struct conweave_key *key,
                   const struct conweave_paths *paths, struct conweave_tag *tag, struct conweave_counters *n)
{
    bool                 is_new;
    struct conweave_row *r = get_row(t, &t->tx, now_ps, key, &is_new);
    struct conweave_tx  *f = &r->tx;

    if (is_new)
        *f = (struct conweave_tx){ .is_stable = true };
    if (f->path && paths->made > 1 && !has_path(paths, f->path))
        f->path = 0;
    bool is_expired = !f->is_old || r->active_ps + c->expiry_ps < now_ps;
    bool begins = is_expired || f->is_stable;
    f->is_stable = false;
    r->active_ps = now_ps;
    bool is_tail = !begins && f->deadline_ps < now_ps;
    if (begins) {
        f->deadline_ps = now_ps + paths->rtt_ps + c->reply_ps;
        f->epoch++;
        f->phase = 0;
        f->tail_ps = 0;
    }
    *tag = (struct conweave_tag){ .epoch = f->epoch, .phase = is_tail ? 0 : f->phase, .tx_ps = now_ps,
                                  .flag = begins ? CONWEAVE_INIT : is_tail ? CONWEAVE_TAIL : CONWEAVE_DATA };
    if (is_tail) {
        f->deadline_ps = NEVER_PS;
        f->phase = 1;
        f->tail_ps = now_ps;
    }
    struct path_draw d = draw_paths(t, now_ps, sw, paths);
    tag->path = choose_path(f, &d, is_expired, is_tail, n);
    tag->tail_ps = f->tail_ps;
    f->is_old = true;
}

void conweave_answered(struct conweave_tor *t, uint64_t now_ps, const struct conweave_key *key,
                       uint32_t epoch, uint32_t phase, struct conweave_counters *n)
{
    struct conweave_row *r = t->tx.size ? find_row(&t->tx, key) : NULL;

    if (!r || !r->is_used || is_expired_flow(t, r, now_ps))
        return;
    struct conweave_tx *f = &r->tx;
    if (f->epoch != epoch || f->phase != phase)
        return;
    if (phase == 0 && (f->deadline_ps == NEVER_PS || now_ps >= f->deadline_ps))
        return;                  /* too late: the next packet is the TAIL */
    f->is_stable = true;
    f->deadline_ps = NEVER_PS;
    n->replies_timely += phase == 0;
    n->clears_matched += phase == 1;
}

/* ---- last ToR ---- */

/* Updates the phase from a packet of this or a later epoch. Returns true if it has overtaken the TAIL. */
static bool update_phase(struct conweave_rx *f, const struct conweave_tag *tag, uint64_t now_ps,
                         struct conweave_counters *n)
{
    bool is_fresh = tag->epoch > f->epoch, is_tail = tag->flag == CONWEAVE_TAIL;

    f->epoch = tag->epoch;
    if (tag->phase == 0) {
        f->p0_tx_ps = tag->tx_ps;
        f->p0_rx_ps = now_ps;
    }
    if (is_fresh) {
        n->new_epoch_while_holding += f->is_holding;
        f->phase = is_tail;
        f->has_cache = tag->phase == 0;
    } else if (is_tail && !f->is_holding) {
        f->phase = 1;
    }
    if (tag->phase == 0)
        f->has_cache = true;
    if (is_tail || tag->phase == 1)
        f->tail_ps = tag->tail_ps;
    return tag->phase > f->phase;
}

/* Expected time between the last packet of phase 0 and the TAIL. */
static uint64_t expected_gap_ps(const struct conweave_cfg *c, const struct conweave_rx *f)
{
    if (!f->has_cache)
        return c->wait_ps;
    return f->tail_ps > f->p0_tx_ps ? f->tail_ps - f->p0_tx_ps : 0;
}

static void set_release(struct conweave_verdict *v, uint64_t at_ps)
{
    v->moves = true;
    v->release_ps = at_ps;
}

/* Starts holding packets of a flow. */
static void start_holding(const struct conweave_cfg *c, struct conweave_rx *f, uint64_t now_ps,
                          struct conweave_verdict *v, struct conweave_counters *n)
{
    uint64_t at = (f->has_cache ? f->p0_rx_ps : now_ps) + expected_gap_ps(c, f) + c->flush_ps;

    f->is_holding = true;
    n->opened_without_cache += !f->has_cache;
    n->released_at_once += at <= now_ps;
    set_release(v, at > now_ps ? at : now_ps);
}

void conweave_receive(const struct conweave_cfg *c, struct conweave_tor *t, uint64_t now_ps,
                      const struct conweave_key *key, const struct conweave_tag *tag, bool is_marked,
                      struct conweave_verdict *v, struct conweave_counters *n)
{
    bool                 is_new, is_tail = tag->flag == CONWEAVE_TAIL;
    struct conweave_row *r = get_row(t, &t->rx, now_ps, key, &is_new);
    struct conweave_rx  *f = &r->rx;

    *v = (struct conweave_verdict){ .row = r };
    if (is_new)
        *f = (struct conweave_rx){ .epoch = 1 };
    r->active_ps = now_ps;
    if (tag->epoch < f->epoch) {
        n->earlier_epoch_packets++;
        return;
    }
    bool is_early = update_phase(f, tag, now_ps, n);
    if (tag->phase == 0 && f->is_holding) {
        n->releases_by_tail += is_tail;
        set_release(v, now_ps + (is_tail ? BEHIND_PS : expected_gap_ps(c, f) + c->flush_ps));
    }
    v->holds = tag->phase == 1 && is_early;
    if (v->holds && !f->is_holding)
        start_holding(c, f, now_ps, v, n);
    v->notifies = is_marked;
    v->replies = tag->flag == CONWEAVE_INIT;
    v->clears = is_tail;
    n->notifies_sent += v->notifies;
    n->replies_sent += v->replies;
    n->clears_sent += v->clears;
    n->packets_held += v->holds;
}

struct conweave_row *conweave_release(struct conweave_tor *t, uint64_t now_ps, const struct conweave_key *key,
                                      struct conweave_counters *n)
{
    struct conweave_row *r = find_row(&t->rx, key);

    assert(r->is_used && r->first);
    if (is_expired_flow(t, r, now_ps)) {
        r->rx = (struct conweave_rx){ .epoch = 1 };
        r->active_ps = now_ps - AGEING_PS;       /* inactive: the next check removes it */
    }
    r->rx.is_holding = false;
    r->rx.phase = 1;
    n->releases++;
    return r;
}
