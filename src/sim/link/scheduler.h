/* src/sim/link/scheduler.h - which of a port's queues goes next: control, then strict classes from the highest, then
 * the others by turns.
 */
#ifndef SIM_LINK_SCHEDULER_H
#define SIM_LINK_SCHEDULER_H

#include "sim/link/port.h"

struct scheduler_cfg {
    uint8_t  strict_prios;       /* bit mask; others share */
    bool     by_packet;          /* one packet each; otherwise deficit round robin: */
    uint32_t quantum_bytes[PRIOS];   /* what a class may send in a round */
};

/* Of the queues in 'mask', more than one. */
uint32_t scheduler_choose_of_many(const struct engine *, const struct scheduler_cfg *, struct port *, uint32_t mask);

/* Of the queues in 'mask', at least one. */
static inline uint32_t scheduler_choose(const struct engine *e, const struct scheduler_cfg *cfg, struct port *p,
                                        uint32_t mask)
{
    uint32_t c;

    if (mask & (mask - 1))
        return scheduler_choose_of_many(e, cfg, p, mask);
    c = (uint32_t)__builtin_ctz(mask);
    if (!((cfg->strict_prios | 1u << QUEUE_CONTROL) >> c & 1))
        p->last_prio = (uint8_t)c;
    return c;
}

#endif
