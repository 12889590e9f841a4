/* src/sim/switch/switch.h - a shared-buffer switch: store and forward, output queued, no time of its own.
 *
 * See "Lossless buffers" in docs/model.md for the account of the buffer.
 */
#ifndef SIM_SWITCH_SWITCH_H
#define SIM_SWITCH_SWITCH_H

#include "sim/sim.h"

/* With pause_ps: a pause that 'port' has sent for class 'prio' is due again. */
void switch_refresh_pause(struct sim *, struct port *, uint32_t prio);

void switch_on_packet(struct sim *, struct port *in, uint32_t id);

/* Sends the next packet of an idle port, if there is one that may go. */
void switch_kick(struct sim *, struct port *);

/* Which of the queues in 'mask', more than one, goes next: control, then strict classes from the highest,
 * then the others by turns. */
uint32_t switch_choose_of_many(struct sim *, struct port *, uint32_t mask);

static inline uint32_t switch_choose(struct sim *s, struct port *p, uint32_t mask)
{
    uint32_t c;

    if (mask & (mask - 1))
        return switch_choose_of_many(s, p, mask);
    c = (uint32_t)__builtin_ctz(mask);
    if (!((s->cfg.strict_prios | 1u << QUEUE_CONTROL) >> c & 1))
        p->last_prio = c;
    return c;
}

/* Lets go of everything that waits for a port whose link has gone down. */
void switch_flush(struct sim *, struct port *);

void switch_check(const struct sim *, const struct node *);

#endif
