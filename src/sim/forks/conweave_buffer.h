/* src/sim/forks/conweave_buffer.h - the account of a switch's buffer as the ConWeave ns-3 fork keeps it, for
 * model conweave.
 *
 * A packet is booked by the port it came in by and by the queue it waits in; in_port is that port with
 * BOOKED_APART.
 *
 * Ingress. Of the buffer, headrooms and a share of every class of every port are set aside; of the rest
 * shared_bytes_left is what packets have not taken. A class of a port is full if it holds more than two
 * packets and, beyond these, more than alpha of what is left. Headroom is counted only while nothing is left.
 *
 * Egress. Of a queue one packet is free; beyond it, queues share what is not set aside, egress_bytes_left. A
 * packet is dropped if its queue would hold more than is left: half of the buffer, for one queue.
 *
 * A full class sends a pause for every packet that arrives. It knows for pause_ps that it did (pausing, and
 * pausing_until_ps); it takes the pause back when it is no longer full, at its next packet that comes or
 * goes.
 */
#ifndef SIM_FORKS_CONWEAVE_BUFFER_H
#define SIM_FORKS_CONWEAVE_BUFFER_H

#include "sim/state/state.h"

#define CONWEAVE_PACKET_BYTES 1048u      /* of a full packet, which the fork's switches assume */
#define CONWEAVE_QUEUE_BYTES  1049u      /* free bytes of each queue */

/* Returns the headroom of a port: the wire in both directions, and two packets. */
uint32_t conweave_headroom_bytes(const struct port *);

extern const struct account conweave_account;

#endif
