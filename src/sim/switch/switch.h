/* src/sim/switch/switch.h - a shared-buffer switch: store and forward, output queued, no time of its own.
 *
 * A packet arrives, finds its way (forward.h), is admitted to the buffer (buffer.h) and waits in a queue; when its turn
 * comes (link/scheduler.h) it may be marked (ecn.h), leaves the buffer and goes on the wire.
 */
#ifndef SIM_SWITCH_SWITCH_H
#define SIM_SWITCH_SWITCH_H

#include "sim/state/state.h"

void switch_on_packet(struct sim *, struct port *in, struct packet *);

/* The last byte has left a port, and something waits. */
void switch_on_free(struct sim *, struct port *);

/* Sends the next packet of an idle port, if there is one that may go. */
void switch_kick(struct sim *, struct port *);

/* Tells the peer of a port to stop sending a class, or to go on. */
void switch_send_pfc(struct sim *, struct port *, uint32_t prio, bool is_pause);

/* With pause_ps: a pause that 'port' has sent for class 'prio' is due again. */
void switch_refresh_pause(struct sim *, struct port *, uint32_t prio);

/* Lets go of everything that waits for a port whose link has gone down. */
void switch_flush(struct sim *, struct port *);

void switch_check(const struct sim *, const struct node *);

#endif
