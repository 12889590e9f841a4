/* src/sim/lb/conga_fork.c - CONGA as in the ConWeave ns-3 fork. Model conweave uses it in place of conga.c.
 *
 * Differences:
 *   - Load estimates are whole bytes, truncated in each period. Periods and expiry checks start at the first
 *     data packet that a switch sees, including packets within a rack.
 *   - Only data packets carry feedback: a random one of the known paths, whether sent before or not.
 *   - Feedback expires at checks, one every conga_ageing. It therefore lasts up to twice as long.
 *   - A new flowlet compares conga_samples consecutive paths, starting at a random one, or all if there are
 *     fewer. Ties are broken at random; the current path has no preference. Levels have no upper limit.
 */
#include "core/units.h"
#include "sim/lb/conga.h"

struct fork_load {               /* load estimate of a port */
    uint32_t bytes;
    uint64_t period;             /* period of that estimate */
};

struct fork_rack {               /* another switch with hosts; entries are time << 8 | level, 0: none */
    uint32_t names;              /* highest known path from there, + 1 */
    uint64_t heard[CONGA_NAMES]; /* by path from there: level of its last packet */
    uint64_t feedback[CONGA_NAMES]; /* by path to there: feedback */
};

struct conga_fork {              /* state of a switch */
    uint64_t        first_ps;    /* time of its first data packet; 0: none yet */
    struct flowlet *flowlet;     /* only in switches with hosts, as 'rack' */
    struct fork_rack *rack;
    struct fork_load load[];      /* by port */
};

/* ---- state ---- */

static size_t own_bytes(const struct lb_switch *sw)
{
    return sizeof(struct conga_fork) + sw->ports * sizeof(struct fork_load);
}

static size_t fork_state_bytes(const void *cfg, const struct lb_switch *sw)
{
    return conga_state_size(cfg, sw, own_bytes(sw), sizeof(struct fork_rack));
}

static void fork_init(const void *cfg, void *state, const struct lb_switch *sw)
{
    struct conga_fork *s = state;

    s->rack = conga_split(cfg, sw, state, own_bytes(sw), &s->flowlet);
}

static void note_first_packet(struct conga_fork *s, uint64_t now_ps)
{
    if (!s->first_ps)
        s->first_ps = now_ps;
}

/* True if the last expiry check has removed an entry of time then_ps. */
static bool is_expired(const struct conga_cfg *c, const struct conga_fork *s, uint64_t now_ps,
                       uint64_t then_ps)
{
    uint64_t check_ps = now_ps - (now_ps - s->first_ps) % c->ageing_ps;

    return check_ps > then_ps + c->ageing_ps;
}

static bool is_known(const struct conga_cfg *c, const struct conga_fork *s, uint64_t now_ps, uint64_t entry)
{
    return entry && !is_expired(c, s, now_ps, entry >> 8);
}

/* ---- load of links ---- */

static uint32_t update_level(const struct conga_cfg *c, struct conga_fork *s, uint64_t now_ps,
                             const struct lb_switch *sw, uint32_t port, uint32_t more_bytes)
{
    struct fork_load *l = &s->load[port - sw->first_port];
    uint64_t     period = (now_ps - s->first_ps) / c->tdre_ps;
    double full_bits = (double)lb_rate_bps(sw, port) * ((double)c->tdre_ps / (double)PS_PER_S) / c->alpha;

    for (; l->period < period && l->bytes; l->period++)
        l->bytes = (uint32_t)(l->bytes * (1 - c->alpha));
    l->period = period;
    l->bytes += more_bytes;
    return (uint32_t)((double)(l->bytes * 8) / full_bits * c->levels);
}

static void fork_forward(const void *cfg, void *state, uint64_t now_ps, const struct lb_switch *sw,
                         uint32_t port, uint32_t bytes, struct lb_tag *tag)
{
    note_first_packet(state, now_ps);
    uint32_t level = update_level(cfg, state, now_ps, sw, port, bytes);
    if (level > tag->congestion)
        tag->congestion = level < UINT8_MAX ? (uint8_t)level : UINT8_MAX;
}

/* ---- feedback ---- */

static void attach_feedback(const struct conga_cfg *c, struct conga_fork *s, uint64_t now_ps,
                            const struct lb_switch *sw, uint32_t to, struct lb_tag *tag)
{
    const struct fork_rack *r = &s->rack[to];
    uint32_t                count = 0;

    for (uint32_t i = 0; i < r->names; i++)
        count += is_known(c, s, now_ps, r->heard[i]);
    if (!count)
        return;
    uint32_t chosen = lb_below(sw, count);
    for (uint32_t i = 0;; i++)
        if (is_known(c, s, now_ps, r->heard[i]) && chosen-- == 0) {
            tag->feedback_name = (uint16_t)(i + 1);
            tag->feedback_congestion = (uint8_t)r->heard[i];
            return;
        }
}

static void fork_leave(const void *cfg, void *state, uint64_t now_ps, uint32_t from, bool is_data,
                       const struct lb_tag *tag)
{
    struct conga_fork *s = state;
    struct fork_rack  *r = &s->rack[from];

    (void)cfg, (void)is_data;
    note_first_packet(s, now_ps);
    if (tag->feedback_name)
        r->feedback[tag->feedback_name - 1] = now_ps << 8 | tag->feedback_congestion;
    r->heard[tag->name] = now_ps << 8 | tag->congestion;
    if (tag->name >= r->names)
        r->names = tag->name + 1u;
}

static void fork_stay(void *state, uint64_t now_ps)
{
    note_first_packet(state, now_ps);
}

/* ---- path selection ---- */

static uint32_t choose_path(const struct conga_cfg *c, struct conga_fork *s, uint64_t now_ps,
                            const struct lb_switch *sw, const struct lb_packet *p)
{
    uint32_t tries = c->samples < p->choices ? c->samples : p->choices, least = UINT32_MAX, count = 0;
    uint32_t best[CONGA_ALL];
    uint32_t first = c->samples <= p->choices ? lb_below(sw, p->choices - tries + 1) : 0;

    for (uint32_t path = first; path < first + tries; path++) {
        uint64_t feedback = s->rack[p->to].feedback[path % CONGA_NAMES];
        uint32_t level = update_level(c, s, now_ps, sw, p->way[path % p->ways], 0);

        if (is_known(c, s, now_ps, feedback) && (feedback & 0xff) > level)
            level = feedback & 0xff;
        if (level < least)
            count = 0;
        if (level <= least) {
            least = level;
            best[count++] = path;
        }
    }
    return best[lb_below(sw, count)];
}

static uint32_t fork_pick(const void *cfg, void *state, uint64_t now_ps, const struct lb_switch *sw,
                          struct lb_packet *p)
{
    const struct conga_cfg *c = cfg;
    struct conga_fork      *s = state;
    struct flowlet         *f = flowlet_find(&c->flowlet, s->flowlet, sw->salt, p);
    uint32_t                last = f->choice;

    note_first_packet(s, now_ps);
    bool is_old = f->last_ps && !is_expired(c, s, now_ps, f->last_ps - 1);
    attach_feedback(c, s, now_ps, sw, p->to, p->tag);
    if (flowlet_touch(&c->flowlet, f, now_ps) != FLOWLET_CONTINUES || !is_old) {
        f->choice = choose_path(c, s, now_ps, sw, p);
        p->is_flowlet = is_old;
        p->is_reroute = is_old && f->choice != last;
    } else if (last >= p->choices) {       /* fewer paths: links have failed */
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
    .forward     = fork_forward,
    .leave       = fork_leave,
    .stay        = fork_stay,
};
