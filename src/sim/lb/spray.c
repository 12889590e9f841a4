/* src/sim/lb/spray.c - packet spraying: every switch picks a next hop for each packet, at random or round
 * robin (knob spray_mode). Round robin is kept per last switch and starts at random, so that switches do not
 * synchronize.
 *
 * Spraying balances best and reorders most.
 */
#include "sim/lb/lb.h"

struct spray_cfg { bool is_round_robin; };

static void spray_configure(void *cfg, const struct knobs *k)
{
    struct spray_cfg *c = cfg;

    c->is_round_robin = k->value[KNOB_spray_mode] != 0;
}

static size_t spray_state_bytes(const void *cfg, const struct lb_switch *sw)
{
    (void)cfg;
    return sw->racks * sizeof(uint32_t);
}

/* next[to]: next hop of the next packet, + 1; 0: none yet. */
static uint32_t spray_pick(const void *cfg, void *state, uint64_t now_ps, const struct lb_switch *sw,
                           struct lb_packet *p)
{
    const struct spray_cfg *c = cfg;
    uint32_t               *next = state, way;

    (void)now_ps;
    if (!c->is_round_robin || !next[p->to])
        way = lb_below(sw, p->ways);
    else
        /* wraps around, also if links have failed */
        way = next[p->to] - 1 < p->ways ? next[p->to] - 1 : 0;
    if (c->is_round_robin)
        next[p->to] = way + 2;
    return way;
}

extern const struct lb_algo lb_spray;
const struct lb_algo lb_spray = {
    .name        = "spray",
    .about       = "each packet takes another path, at random or round robin: knob spray_mode",
    .cfg_size    = sizeof(struct spray_cfg),
    .configure   = spray_configure,
    .state_bytes = spray_state_bytes,
    .pick        = spray_pick,
};
