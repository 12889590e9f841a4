#include "sim/link/scheduler.h"

/* The classes in 'mask' by turns, one packet each. */
static uint32_t choose_by_packet(const struct port *p, uint32_t mask)
{
    uint32_t c = p->last_prio;

    do
        c = (c + 1) % PRIOS;
    while (!(mask >> c & 1));
    return c;
}

/* Deficit weighted round robin over the classes in 'mask', more than one. */
static uint32_t choose_by_weight(const struct engine *e, const struct scheduler_cfg *cfg, struct port *p, uint32_t mask)
{
    uint32_t c = p->last_prio;

    for (;;) {
        if (mask >> c & 1) {
            uint32_t bytes = e->packets.packet[p->queue[c].head].bytes;

            if (p->deficit[c] >= bytes) {
                p->deficit[c] -= bytes;
                return c;
            }
        } else {
            p->deficit[c] = 0;   /* a class that has nothing to send saves nothing up */
        }
        c = (c + 1) % PRIOS;
        if (mask >> c & 1)
            p->deficit[c] += cfg->quantum_bytes[c];
    }
}

uint32_t scheduler_choose_of_many(const struct engine *e, const struct scheduler_cfg *cfg, struct port *p, uint32_t mask)
{
    uint32_t strict = mask & cfg->strict_prios, c;

    if (mask >> QUEUE_CONTROL & 1)
        return QUEUE_CONTROL;
    if (strict)
        return 31 - (uint32_t)__builtin_clz(strict);
    c = cfg->by_packet ? choose_by_packet(p, mask) : choose_by_weight(e, cfg, p, mask);
    p->last_prio = (uint8_t)c;
    return c;
}
