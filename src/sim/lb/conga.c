#include "sim/lb/conga.h"
#include "core/units.h"

#define WORDS (CONGA_NAMES / 64)
#define OUT_OF_LINE __attribute__((noinline)) /* keeps rare code out of the per-packet path */

struct dre {                     /* load estimate of a port */
    double   x_bytes;
    double   levels_per_byte;
    uint64_t until_ps;           /* end of the current period; 0: never used */
};

struct conga_rack {              /* another switch with hosts */
    uint32_t changes, news;      /* number of bits set in 'changed' and 'heard' */
    /* by path from there, since its level was last sent back: 'changed' if its level has changed, 'heard' if
     * a packet has arrived. Changed paths are also in 'heard' */
    uint64_t changed[WORDS], heard[WORDS];
    uint32_t turn;               /* name to send back next, if it has news */
    uint8_t  level[CONGA_NAMES]; /* by path from there: level of its last packet */
    uint64_t feedback[CONGA_NAMES]; /* by path to there: time of the feedback << 8 | level; 0: none */
};

struct conga {                   /* state of a switch */
    struct flowlet *flowlet;     /* only in switches with hosts, as 'rack' */
    struct conga_rack *rack;
    struct dre      dre[];       /* by port */
};

void conga_configure(void *cfg, const struct knobs *k)
{
    struct conga_cfg *c = cfg;

    flowlet_configure(&c->flowlet, k);
    c->tdre_ps = knob_whole(k->value[KNOB_conga_tdre], PS_PER_US);
    c->ageing_ps = knob_whole(k->value[KNOB_conga_ageing], PS_PER_US);
    c->alpha = k->value[KNOB_conga_alpha];
    c->levels = 1u << (uint32_t)k->value[KNOB_conga_bits];
    c->samples = (uint32_t)k->value[KNOB_conga_samples];
}

enum lb_scope conga_scope(const void *cfg)
{
    (void)cfg;
    return LB_PATH;
}

/* ---- state ---- */

static size_t lines(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t flowlets_bytes(const struct conga_cfg *c)
{
    return lines(c->flowlet.entries_max * sizeof(struct flowlet));
}

size_t conga_state_size(const struct conga_cfg *c, const struct lb_switch *sw, size_t own_bytes,
                        size_t rack_bytes)
{
    return lines(own_bytes) + (sw->has_hosts ? flowlets_bytes(c) + sw->racks * rack_bytes : 0);
}

void *conga_split(const struct conga_cfg *c, const struct lb_switch *sw, void *state, size_t own_bytes,
                  struct flowlet **flowlet)
{
    char *rest = (char *)state + lines(own_bytes);

    if (!sw->has_hosts)
        return NULL;
    *flowlet = (struct flowlet *)(void *)rest;
    return rest + flowlets_bytes(c);
}

static size_t own_bytes(const struct lb_switch *sw)
{
    return sizeof(struct conga) + sw->ports * sizeof(struct dre);
}

static size_t conga_state_bytes(const void *cfg, const struct lb_switch *sw)
{
    return conga_state_size(cfg, sw, own_bytes(sw), sizeof(struct conga_rack));
}

static void conga_init(const void *cfg, void *state, const struct lb_switch *sw)
{
    struct conga *s = state;

    s->rack = conga_split(cfg, sw, state, own_bytes(sw), &s->flowlet);
}

/* ---- load of links ---- */

/* Applies the decay of all periods that have ended since the last call. */
static OUT_OF_LINE void decay(const struct conga_cfg *c, struct dre *d, uint64_t now_ps, uint64_t rate_bps)
{
    double full_bytes = (double)rate_bps / 8 * ((double)c->tdre_ps / (double)PS_PER_S) / c->alpha;

    if (d->until_ps)
        d->x_bytes *= rng_pow(1 - c->alpha, (now_ps - d->until_ps) / c->tdre_ps + 1);
    d->levels_per_byte = c->levels / full_bytes;
    d->until_ps = (now_ps / c->tdre_ps + 1) * c->tdre_ps;
}

static inline struct dre *dre_at(const struct conga_cfg *c, struct conga *s, uint64_t now_ps,
                                 const struct lb_switch *sw, uint32_t port)
{
    struct dre *d = &s->dre[port - sw->first_port];

    if (__builtin_expect(now_ps >= d->until_ps, 0))
        decay(c, d, now_ps, lb_rate_bps(sw, port));
    return d;
}

static inline uint32_t level_of(const struct conga_cfg *c, const struct dre *d)
{
    uint32_t level = (uint32_t)(d->x_bytes * d->levels_per_byte);

    return level < c->levels ? level : c->levels - 1;
}

static void conga_forward(const void *cfg, void *state, uint64_t now_ps, const struct lb_switch *sw,
                          uint32_t port, uint32_t bytes, struct lb_tag *tag)
{
    const struct conga_cfg *c = cfg;
    struct dre             *d = dre_at(c, state, now_ps, sw, port);

    d->x_bytes += bytes;
    uint32_t level = level_of(c, d);
    if (level > tag->congestion)
        tag->congestion = (uint8_t)level;
}

/* ---- feedback ---- */

/* Returns the first name in the set from 'turn' on, wrapping around. The set must not be empty. */
static inline uint32_t next_in(const uint64_t *set, uint32_t turn)
{
    uint32_t word = turn / 64;
    uint64_t bits = set[word] & ~0ull << turn % 64;

    while (!bits) {
        word = (word + 1) % WORDS;
        bits = set[word];
    }
    return word * 64 + (uint32_t)__builtin_ctzll(bits);
}

static void conga_enter(const void *cfg, void *state, uint32_t to, struct lb_tag *tag)
{
    struct conga_rack *r = &((struct conga *)state)->rack[to];

    (void)cfg;
    if (!r->news)
        return;
    uint32_t name = next_in(r->changes ? r->changed : r->heard, r->turn);
    uint64_t bit = 1ull << name % 64;
    tag->feedback_name = (uint16_t)(name + 1);
    tag->feedback_congestion = r->level[name];
    r->changes -= (r->changed[name / 64] & bit) != 0;
    r->news--;
    r->changed[name / 64] &= ~bit;
    r->heard[name / 64] &= ~bit;
    r->turn = (name + 1) % CONGA_NAMES;
}

static void conga_leave(const void *cfg, void *state, uint64_t now_ps, uint32_t from, bool is_data,
                        const struct lb_tag *tag)
{
    struct conga_rack *r = &((struct conga *)state)->rack[from];
    uint64_t     bit = 1ull << tag->name % 64;

    (void)cfg;
    if (tag->feedback_name)
        r->feedback[tag->feedback_name - 1] = now_ps << 8 | tag->feedback_congestion;
    if (!is_data)
        return;
    r->news += !(r->heard[tag->name / 64] & bit);
    r->heard[tag->name / 64] |= bit;
    if (r->level[tag->name] != tag->congestion) {
        r->level[tag->name] = tag->congestion;
        r->changes += !(r->changed[tag->name / 64] & bit);
        r->changed[tag->name / 64] |= bit;
    }
}

/* ---- path selection ---- */

struct candidates {
    uint32_t level;              /* lowest so far */
    uint32_t path[CONGA_ALL + 1], count;     /* the paths with that level */
};

static uint32_t level_of_path(const struct conga_cfg *c, struct conga *s, uint64_t now_ps,
                              const struct lb_switch *sw, const struct lb_packet *p, uint32_t path)
{
    uint64_t feedback = s->rack[p->to].feedback[path % CONGA_NAMES];
    uint32_t here = level_of(c, dre_at(c, s, now_ps, sw, p->way[path % p->ways]));
    uint32_t there = feedback && now_ps - (feedback >> 8) < c->ageing_ps ? (uint32_t)(feedback & 0xff) : 0;

    return here > there ? here : there;
}

static void add_candidate(struct candidates *best, uint32_t path, uint32_t level)
{
    if (level > best->level)
        return;
    if (level < best->level)
        best->count = 0;
    best->level = level;
    best->path[best->count++] = path;
}

/* Returns the least congested path. 'present': the path of the last flowlet, or not a path. */
static OUT_OF_LINE uint32_t choose_path(const struct conga_cfg *c, struct conga *s, uint64_t now_ps,
                                        const struct lb_switch *sw, const struct lb_packet *p,
                                        uint32_t present)
{
    bool          is_all = p->choices <= CONGA_ALL;
    uint32_t      tries = is_all ? p->choices : c->samples;
    struct candidates best = { .level = UINT32_MAX };

    for (uint32_t i = 0; i < tries; i++) {
        uint32_t path = is_all ? i : lb_below(sw, p->choices);

        add_candidate(&best, path, level_of_path(c, s, now_ps, sw, p, path));
    }
    if (present < p->choices && level_of_path(c, s, now_ps, sw, p, present) <= best.level)
        return present;
    return best.path[best.count == 1 ? 0 : lb_below(sw, best.count)];
}

static uint32_t conga_pick(const void *cfg, void *state, uint64_t now_ps, const struct lb_switch *sw,
                           struct lb_packet *p)
{
    const struct conga_cfg *c = cfg;
    struct conga           *s = state;
    struct flowlet         *f = flowlet_find(&c->flowlet, s->flowlet, sw->salt, p);
    enum flowlet_state      is = flowlet_touch(&c->flowlet, f, now_ps);
    uint32_t                last = f->choice;

    if (is != FLOWLET_CONTINUES) {
        f->choice = choose_path(c, s, now_ps, sw, p, is == FLOWLET_NEW ? last : UINT32_MAX);
        p->is_flowlet = is == FLOWLET_NEW;
        p->is_reroute = is == FLOWLET_NEW && f->choice != last;
    } else if (last >= p->choices) {       /* fewer paths: links have failed */
        f->choice = last % p->choices;
    }
    p->tag->name = (uint16_t)(f->choice % CONGA_NAMES);
    conga_enter(cfg, state, p->to, p->tag);
    conga_forward(cfg, state, now_ps, sw, p->way[f->choice % p->ways], p->bytes, p->tag);
    return f->choice;
}

const struct lb_algo lb_conga = {
    .name = "conga",
    .about = "each flowlet takes the least congested path: knobs conga_..., flowlet_timeout, flowlet_table",
    .cfg_size = sizeof(struct conga_cfg),
    .configure = conga_configure,
    .scope = conga_scope,
    .state_bytes = conga_state_bytes,
    .init = conga_init,
    .pick = conga_pick,
    .enter = conga_enter,
    .forward = conga_forward,
    .leave = conga_leave,
};
