/* src/sim/switch/weave.h - ConWeave in switches: tags packets, sends control frames between ToRs, holds
 * packets and releases them. sim/lb/conweave.h decides when.
 *
 * Held packets form a list (conweave_tag.next). The first of them is an event: when the queue is released, it
 * arrives again at its ingress port. Held packets are not charged to the buffer.
 *
 * Control frames have 64 bytes (kind WOVEN) and look like ACKs of the flow. The upper half of
 * 'seq' has the message, the lower half an epoch or a path. They use the route of the flow's ACKs and end at
 * the first ToR.
 *
 * Functions here send nothing: they return the frames to send.
 */
#ifndef SIM_SWITCH_WEAVE_H
#define SIM_SWITCH_WEAVE_H

#include "base/err.h"
#include "sim/state/state.h"

struct weave_act {
    struct port *out;
    uint32_t     control[2], controls;       /* control frames to send before the packet */
    struct port *control_out[2];             /* their egress ports; NULL: no route */
};

/* Builds the state, after the routes. Fails if paths or ports do not fit the tags. */
int weave_build(struct sim *, uint32_t hops_most, struct err *);

void weave_free(struct sim *);

/* Removes a packet from its queue of held packets. Returns the next held packet, or 0. 'in' is the ingress
 * port: given for the first packet; NULL for the others, and then set. */
uint32_t weave_take_held(struct sim *, uint32_t id, struct port **in);

/* Calls 'see' for each held packet that is not an event. */
void weave_each_held(const struct sim *, const struct node *, void (*see)(void *arg, const struct packet *),
                     void *arg);

#endif
