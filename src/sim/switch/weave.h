/* src/sim/switch/weave.h - ConWeave in switches: tags packets, sends control frames between ToRs, holds
 * packets and releases them. lb/conweave.h decides when.
 *
 * Held packets are a list (conweave_tag.next). The first of them is an event: it arrives again, by the port
 * it came in by, when the queue is released. Held packets are on no account of the buffer.
 *
 * Control frames have 64 bytes (kind CNP, PACKET_WOVEN) and look like answers of the flow: 'seq' has the
 * message in its upper half and an epoch or a path in the lower. They use the route of the flow's ACKs and
 * end at the first ToR.
 *
 * Functions here send nothing: they return what to send.
 */
#ifndef SIM_SWITCH_WEAVE_H
#define SIM_SWITCH_WEAVE_H

#include "base/err.h"
#include "sim/state/state.h"

struct weave_act {
    struct port *out;
    uint32_t     control[2], controls;       /* control frames to send first, */
    struct port *control_out[2];             /* by these ports; NULL: no route */
};

/* Builds its state, after the routes. Refuses a world whose paths or ports do not fit the tags. */
int weave_build(struct sim *, uint32_t hops_most, struct err *);

void weave_free(struct sim *);

/* Takes a packet off its queue of held ones. Returns the next one (0: none), and the port it came in by. 'in'
 * is that of the first; NULL for the others. */
uint32_t weave_take_held(struct sim *, uint32_t id, struct port **in);

/* Calls 'see' for the held packets that are not events. */
void weave_each_held(const struct sim *, const struct node *, void (*see)(void *arg, const struct packet *),
                     void *arg);

#endif
