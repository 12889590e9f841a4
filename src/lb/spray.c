/* src/lb/spray.c - every packet goes its own way, at every switch: at random, or (knob spray_mode) in turn, for each
 * last switch apart and beginning anywhere, so that switches do not move in step.
 *
 * Nothing balances better, and nothing keeps the order of packets less.
 */
#include "lb/lb.h"

struct spray_cfg { bool is_in_turn; };

static void spray_configure(void *cfg, const struct knobs *k)
{
    struct spray_cfg *c = cfg;

    c->is_in_turn = k->value[KNOB_spray_mode] != 0;
}

static size_t spray_state_bytes(const void *cfg, const struct lb_switch *sw)
{
    (void)cfg;
    return sw->racks * sizeof(uint32_t);
}

/* next[to]: the way of the next packet, + 1; 0: there was none yet. */
static uint32_t spray_pick(const void *cfg, void *state, uint64_t now_ps, const struct lb_switch *sw,
                           struct lb_packet *p)
{
    const struct spray_cfg *c = cfg;
    uint32_t               *next = state, way;

    (void)now_ps;
    if (!c->is_in_turn || !next[p->to])
        way = lb_below(sw, p->ways);
    else
        way = next[p->to] - 1 < p->ways ? next[p->to] - 1 : 0;       /* the last was passed, or links have gone */
    if (c->is_in_turn)
        next[p->to] = way + 2;
    return way;
}

extern const struct lb_algo lb_spray;
const struct lb_algo lb_spray = {
    .name        = "spray",
    .about       = "every packet its own way, at random or in turn: knob spray_mode",
    .cfg_size    = sizeof(struct spray_cfg),
    .configure   = spray_configure,
    .state_bytes = spray_state_bytes,
    .pick        = spray_pick,
};
