#include "sim/nic/sender_spray.h"

#include <string.h>

#define GOODS 512u               /* good EVs that a flow remembers; a power of two */

/* The number of paths is a power of two. */
void spray_configure(struct sim *s)
{
    uint32_t most = (uint32_t)s->cfg.knobs.value[KNOB_paths];

    s->spray.paths = s->spray.kind ? 1u << (31 - __builtin_clz(most | 1)) : 1;
}

/* Penalties have room for the largest value of the knob 'paths', because the knob may change. */
static size_t penalty_bytes(void)
{
    return (size_t)knob_info[KNOB_paths].max;
}

static bool has_goods(uint8_t kind)
{
    return kind == ENTROPY_MIXED + 1 || kind == ENTROPY_REPS_LEGACY + 1;
}

static bool has_penalties(uint8_t kind)
{
    return kind == ENTROPY_MIXED + 1 || kind == ENTROPY_BITMAP + 1;
}

void spray_build(struct sim *s, uint32_t flows)
{
    struct spray_state *x = &s->spray;

    if (!x->kind)
        return;
    x->goods = has_goods(x->kind) ? GOODS : 0;
    x->stride =
        sizeof(struct entropy) + (has_penalties(x->kind) ? penalty_bytes() : 0) + x->goods * sizeof(uint16_t);
    x->stride = (x->stride + 7) / 8 * 8;
    x->state = arena_alloc(&s->arena, flows, x->stride);
}

static uint32_t draw(void *arg)
{
    return (uint32_t)(rng_next(arg) >> 33);
}

static struct entropy_cfg cfg_of(struct sim *s, const struct flow *f)
{
    return (struct entropy_cfg){ .kind = (enum entropy_kind)(s->spray.kind - 1), .paths = s->spray.paths,
                                 .freezes = true, .skipped = &s->engine.counters.paths_skipped,
                                 .draw = draw, .arg = &s->net.node[f->src].rng };
}

void spray_start(struct sim *s, const struct flow *f)
{
    if (!s->spray.kind)
        return;
    struct entropy *e = spray_state(s, (size_t)(f - s->flows.flow));
    struct entropy_cfg cfg = cfg_of(s, f);
    uint16_t *good = (uint16_t *)(void *)(e + 1);
    uint8_t *penalty = (uint8_t *)(good + s->spray.goods);
    if (has_penalties(s->spray.kind))
        memset(penalty, 0, penalty_bytes());
    entropy_init_in(e, &cfg, has_penalties(s->spray.kind) ? penalty : NULL, s->spray.goods ? good : NULL,
                    s->spray.goods);
}

APART uint16_t spray_next_slowly(struct sim *s, uint32_t flow, uint64_t next)
{
    const struct flow *f = &s->flows.flow[flow];
    struct entropy_cfg cfg = cfg_of(s, f);

    return entropy_next(spray_state(s, flow), &cfg, next, f->out.window_bytes / s->cfg.mtu_bytes);
}

static void count(struct sim_counters *c, enum entropy_feedback feedback)
{
    switch (feedback) {
    case ENTROPY_GOOD:    c->paths_good++;      break;
    case ENTROPY_MARKED:  c->paths_marked++;    break;
    case ENTROPY_TRIMMED: c->paths_trimmed++;   break;
    case ENTROPY_TIMEOUT: c->paths_timed_out++; break;
    }
}

void spray_learn(struct sim *s, const struct flow *f, uint16_t ev, enum entropy_feedback feedback)
{
    struct entropy *e = spray_state(s, (size_t)(f - s->flows.flow));

    if (!s->spray.kind)
        return;
    count(&s->engine.counters, feedback);
    if (entropy_learn_easily(e, (enum entropy_kind)(s->spray.kind - 1), ev, feedback))
        return;
    struct entropy_cfg cfg = cfg_of(s, f);
    entropy_learn(e, &cfg, s->engine.now_ps, ev, feedback);
}
