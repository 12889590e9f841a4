/* src/sim/lb/shortest.c - every packet to the shortest queue: even loads, and packets out of order. */
#include "sim/lb/lb.h"

static uint32_t shortest_pick(const void *cfg, void *state, uint64_t now_ps, const struct lb_switch *sw, struct lb_packet *p)
{
    uint32_t best = 0;

    (void)cfg, (void)state, (void)now_ps;
    for (uint32_t i = 1; i < p->ways; i++)
        if (lb_queue_bytes(sw, p->way[i], p->prio) < lb_queue_bytes(sw, p->way[best], p->prio))
            best = i;
    return best;
}

extern const struct lb_algo lb_shortest;
const struct lb_algo lb_shortest = {
    .name  = "shortest",
    .about = "every packet to the shortest queue",
    .pick  = shortest_pick,
};
