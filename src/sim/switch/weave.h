/* src/sim/switch/weave.h - ConWeave in switches: writes on packets, sends what ToRs tell each other, holds
 * packets and lets them go. lb/conweave.h says when.
 *
 * Packets that are held are a list beside the packets (conweave_tag.next). The first of them is an event: it
 * arrives once more, by the port it came in by, when the queue is released. Held packets are on no account of
 * the buffer.
 *
 * What ToRs tell each other are frames of 64 bytes (kind CNP, PACKET_WOVEN) that look like answers of the
 * flow: 'seq' has what is said in its upper half and an epoch or a path in the lower. They go the way of the
 * flow's ACKs and end at the first ToR.
 *
 * Nothing is sent from here: a function says what is to be sent.
 */
#ifndef SIM_SWITCH_WEAVE_H
#define SIM_SWITCH_WEAVE_H

#include "base/err.h"
#include "sim/state/state.h"

struct weave_act {
    struct port *out;
    uint32_t     control[2], controls;       /* packets of ours that go out before it, */
    struct port *control_out[2];             /* here; NULL: there is no way */
};

/* The links and ports of the network fit the paths, or the world is refused. After routes are built. */
int weave_build(struct sim *, uint32_t hops_most, struct err *);

void weave_free(struct sim *);

/* Takes one that was held out of the hands of its queue: where it came in by, and the next (0: it was the
 * last). 'in': where the first came in by, otherwise NULL. */
uint32_t weave_take_held(struct sim *, uint32_t id, struct port **in);

/* Shows the packets that a switch holds and that are no events. */
void weave_each_held(const struct sim *, const struct node *, void (*see)(void *arg, const struct packet *),
                     void *arg);

#endif
