/* src/sim/switch/conweave_buffer.h - the account of a switch's buffer as the ConWeave ns-3 fork keeps it, for model conweave.
 *
 * A packet is booked by the port it came in by and by the queue it waits in; in_port is that port with BOOKED_APART.
 *
 * Ingress. Of the buffer, headrooms and a share of every class of every port are set aside; of the rest
 * shared_bytes_left is what packets have not taken. A class of a port is full if it holds more than two packets and,
 * beyond these, more than alpha of what is left. Headroom is counted only while nothing is left.
 *
 * Egress. Of a queue one packet is free; beyond it, queues share what is not set aside, egress_bytes_left. A packet is
 * dropped if its queue would hold more than is left: half of the buffer, for one queue.
 *
 * A full class sends a pause for every packet that arrives. It knows for pause_ps that it did (pausing, and
 * pausing_until_ps); it takes the pause back when it is no longer full, at its next packet that comes or goes.
 */
#ifndef SIM_SWITCH_CONWEAVE_BUFFER_H
#define SIM_SWITCH_CONWEAVE_BUFFER_H

#include "sim/state/state.h"

#define CONWEAVE_PACKET_BYTES 1048u      /* of a full packet, as the fork's switches take for granted */
#define CONWEAVE_QUEUE_BYTES  1049u      /* of a queue that are free */

void conweave_buffer_init(struct sim *, struct node *);

/* What a port must have for what comes in after a pause: the wire both ways, and two packets. */
uint32_t conweave_headroom_bytes(const struct port *);

/* Classes of the port a packet came in by whose sender is to be told something, bit by bit: first to pause, then to
 * resume. */
struct conweave_pfc { uint8_t pause, resume; };

/* Books packet 'k', which came in by 'in' and is to leave by 'out'. False: no room. Both of these stay out of line: what
 * other models do for every packet must stay small. */
__attribute__((noinline, cold))
bool conweave_buffer_admit(struct sim *, struct port *in, const struct port *out, struct packet *k, struct conweave_pfc *);

/* Packet 'k' has left its queue of port 'out'. Returns the port it came in by if its sender may go on, or NULL. */
__attribute__((noinline, cold))
struct port *conweave_buffer_release(struct sim *, const struct port *out, const struct packet *k);

/* What does not hold of the account of node 'n', or NULL. */
const char *conweave_buffer_check(const struct sim *, const struct node *n);

#endif
