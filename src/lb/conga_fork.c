/* src/lb/conga_fork.c - CONGA as the ConWeave ns-3 fork has it; model conweave takes it in place of conga.c's.
 *
 * What differs:
 *   - Estimates of load are whole bytes, truncated in each period. Periods, and looks for what is too old, count from
 *     the first data packet that a switch has seen, packets within a rack included.
 *   - Only data carries what racks tell each other: a random one of the paths heard of, told before or not.
 *   - What is older than conga_ageing is forgotten at a look, one every conga_ageing; so it lasts up to twice as long.
 *   - A new flowlet compares conga_samples paths that follow each other, from a random one on, or all if there are
 *     fewer. Among equal ones it takes a random one; the present path has no precedence. Levels have no upper end.
 */
#include "core/units.h"
#include "lb/conga.h"

struct load {                    /* of a port */
    uint32_t bytes;
    uint64_t period;             /* in which that was so */
};

struct rack {                    /* another switch with hosts; times << 8 | level, 0: never */
    uint32_t names;              /* all paths from there that were ever heard of are below it */
    uint64_t heard[CONGA_NAMES]; /* by path from there: its last packet */
    uint64_t told[CONGA_NAMES];  /* by path to there */
};

struct conga_fork {              /* a switch */
    uint64_t        first_ps;    /* its first data packet; 0: none yet */
    struct flowlet *flowlet;     /* those with hosts have these two */
    struct rack    *rack;
    struct load     load[];      /* by port */
};

/* ---- state ---- */

static size_t loads_bytes(const struct lb_switch *sw)
{
    return (sizeof(struct conga_fork) + sw->ports * sizeof(struct load) + 63) / 64 * 64;
}

static size_t flowlets_bytes(const struct conga_cfg *c)
{
    return (c->flowlet.entries_max * sizeof(struct flowlet) + 63) / 64 * 64;
}

static size_t fork_state_bytes(const void *cfg, const struct lb_switch *sw)
{
    return loads_bytes(sw) + (sw->has_hosts ? flowlets_bytes(cfg) + sw->racks * sizeof(struct rack) : 0);
}

static void fork_init(const void *cfg, void *state, const struct lb_switch *sw)
{
    struct conga_fork *s = state;
    char              *rest = (char *)state + loads_bytes(sw);

    if (!sw->has_hosts)
        return;
    s->flowlet = (struct flowlet *)(void *)rest;
    s->rack = (struct rack *)(void *)(rest + flowlets_bytes(cfg));
}

static void note_first(struct conga_fork *s, uint64_t now_ps)
{
    if (!s->first_ps)
        s->first_ps = now_ps;
}

/* Has the last look found that too old? */
static bool is_aged(const struct conga_cfg *c, const struct conga_fork *s, uint64_t now_ps, uint64_t then_ps)
{
    uint64_t look_ps = now_ps - (now_ps - s->first_ps) % c->ageing_ps;

    return look_ps > then_ps + c->ageing_ps;
}

static bool is_known(const struct conga_cfg *c, const struct conga_fork *s, uint64_t now_ps, uint64_t entry)
{
    return entry && !is_aged(c, s, now_ps, entry >> 8);
}

/* ---- the load of links ---- */

static uint32_t level_of(const struct conga_cfg *c, struct conga_fork *s, uint64_t now_ps, const struct lb_switch *sw,
                         uint32_t port, uint32_t more_bytes)
{
    struct load *l = &s->load[port - sw->first_port];
    uint64_t     period = (now_ps - s->first_ps) / c->tdre_ps;
    double       full_bits = (double)lb_rate_bps(sw, port) * ((double)c->tdre_ps / (double)PS_PER_S) / c->alpha;

    for (; l->period < period && l->bytes; l->period++)
        l->bytes = (uint32_t)(l->bytes * (1 - c->alpha));
    l->period = period;
    l->bytes += more_bytes;
    return (uint32_t)((double)(l->bytes * 8) / full_bits * c->levels);
}

static void fork_forward(const void *cfg, void *state, uint64_t now_ps, const struct lb_switch *sw, uint32_t port,
                         uint32_t bytes, struct lb_tag *tag)
{
    uint32_t level;

    note_first(state, now_ps);
    level = level_of(cfg, state, now_ps, sw, port, bytes);
    if (level > tag->congestion)
        tag->congestion = level < UINT8_MAX ? (uint8_t)level : UINT8_MAX;
}

/* ---- telling ---- */

static void fork_enter(const void *cfg, void *state, uint32_t to, struct lb_tag *tag)
{
    (void)cfg, (void)state, (void)to, (void)tag;
}

static void tell(const struct conga_cfg *c, struct conga_fork *s, uint64_t now_ps, const struct lb_switch *sw, uint32_t to,
                 struct lb_tag *tag)
{
    const struct rack *r = &s->rack[to];
    uint32_t           count = 0, chosen;

    for (uint32_t i = 0; i < r->names; i++)
        count += is_known(c, s, now_ps, r->heard[i]);
    if (!count)
        return;
    chosen = lb_below(sw, count);
    for (uint32_t i = 0;; i++)
        if (is_known(c, s, now_ps, r->heard[i]) && chosen-- == 0) {
            tag->told_name = (uint16_t)(i + 1);
            tag->told_congestion = (uint8_t)r->heard[i];
            return;
        }
}

static void fork_leave(const void *cfg, void *state, uint64_t now_ps, uint32_t from, bool is_data,
                       const struct lb_tag *tag)
{
    struct conga_fork *s = state;
    struct rack       *r = &s->rack[from];

    (void)cfg, (void)is_data;
    note_first(s, now_ps);
    if (tag->told_name)
        r->told[tag->told_name - 1] = now_ps << 8 | tag->told_congestion;
    r->heard[tag->name] = now_ps << 8 | tag->congestion;
    if (tag->name >= r->names)
        r->names = tag->name + 1u;
}

static void fork_stay(void *state, uint64_t now_ps)
{
    note_first(state, now_ps);
}

/* ---- choosing ---- */

static uint32_t choose(const struct conga_cfg *c, struct conga_fork *s, uint64_t now_ps, const struct lb_switch *sw,
                       const struct lb_packet *p)
{
    uint32_t tries = c->samples < p->choices ? c->samples : p->choices, least = UINT32_MAX, count = 0;
    uint32_t best[CONGA_ALL];
    uint32_t first = c->samples <= p->choices ? lb_below(sw, p->choices - tries + 1) : 0;

    for (uint32_t path = first; path < first + tries; path++) {
        uint64_t told = s->rack[p->to].told[path % CONGA_NAMES];
        uint32_t level = level_of(c, s, now_ps, sw, p->way[path % p->ways], 0);

        if (is_known(c, s, now_ps, told) && (told & 0xff) > level)
            level = told & 0xff;
        if (level < least)
            count = 0;
        if (level <= least) {
            least = level;
            best[count++] = path;
        }
    }
    return best[lb_below(sw, count)];
}

static uint32_t fork_pick(const void *cfg, void *state, uint64_t now_ps, const struct lb_switch *sw, struct lb_packet *p)
{
    const struct conga_cfg *c = cfg;
    struct conga_fork      *s = state;
    struct flowlet         *f = flowlet_find(&c->flowlet, s->flowlet, sw->salt, p);
    uint32_t                last = f->choice;
    bool                    is_old;

    note_first(s, now_ps);
    is_old = f->last_ps && !is_aged(c, s, now_ps, f->last_ps - 1);
    tell(c, s, now_ps, sw, p->to, p->tag);
    if (flowlet_touch(&c->flowlet, f, now_ps) != FLOWLET_GOES_ON || !is_old) {
        f->choice = choose(c, s, now_ps, sw, p);
        p->is_flowlet = is_old;
        p->is_reroute = is_old && f->choice != last;
    } else if (last >= p->choices) {       /* links have gone */
        f->choice = last % p->choices;
    }
    p->tag->name = (uint16_t)(f->choice % CONGA_NAMES);
    fork_forward(cfg, state, now_ps, sw, p->way[f->choice % p->ways], p->bytes, p->tag);
    return f->choice;
}

const struct lb_algo lb_conga_fork = {
    .name        = "conga",
    .cfg_size    = sizeof(struct conga_cfg),
    .configure   = conga_configure,
    .scope       = conga_scope,
    .state_bytes = fork_state_bytes,
    .init        = fork_init,
    .pick        = fork_pick,
    .enter       = fork_enter,
    .forward     = fork_forward,
    .leave       = fork_leave,
    .stay        = fork_stay,
};
