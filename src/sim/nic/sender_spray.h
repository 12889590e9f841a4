/* src/sim/nic/sender_spray.h - senders that choose the path of each packet: see sim/lb/entropy.h.
 *
 * The source port of a packet is the flow's port XOR the entropy value (EV). ACKs return it as their
 * destination port, so the sender knows the path of the acknowledged packet. Used by UET, and by queue pairs
 * with selective repeat.
 */
#ifndef SIM_NIC_SENDER_SPRAY_H
#define SIM_NIC_SENDER_SPRAY_H

#include "sim/nic/nic.h"

/* Allocates memory for all flows. Does nothing unless the balancer runs in senders. */
void spray_build(struct sim *, uint32_t flows);

/* The knobs have changed. */
void spray_configure(struct sim *);

/* A flow begins. */
void spray_start(struct sim *, const struct flow *);

/* Returns true if queue pairs spray, too. */
static inline bool spray_has_pairs(const struct sim *s)
{
    return s->cfg.is_selective && s->spray.kind;
}

static inline struct entropy *spray_state(const struct sim *s, size_t flow)
{
    return (struct entropy *)(void *)(s->spray.state + flow * s->spray.stride);
}

/* Returns the EV of a flow's next packet. 'next': the number of its next new packet. */
uint16_t spray_next_slowly(struct sim *, uint32_t flow, uint64_t next);

static inline uint16_t spray_next(struct sim *s, uint32_t flow, uint64_t next)
{
    uint16_t ev = 0;

    if (s->spray.kind && !entropy_next_easily(spray_state(s, flow), (enum entropy_kind)(s->spray.kind - 1),
                                              s->spray.paths, &ev))
        return spray_next_slowly(s, flow, next);
    return ev;
}

/* Reports the outcome of a packet with this EV to the balancer. */
void spray_learn(struct sim *, const struct flow *, uint16_t ev, enum entropy_feedback);

/* Returns the EV of the packet that 'k' answers. */
static inline uint16_t spray_ev(const struct flow *f, const struct packet *k)
{
    return (uint16_t)(k->ports >> 16 ^ f->ports);
}

#endif
