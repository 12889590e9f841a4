/* src/sim/forks/conweave_buffer.h - buffer accounting of the ConWeave ns-3 fork, for model conweave.
 *
 * A packet is charged to its ingress port and to its egress queue. in_port is the ingress port with
 * BOOKED_APART.
 *
 * Ingress. Headrooms and a share for every class of every port are set aside. shared_bytes_left is the free
 * part of the remaining buffer. A class of a port is full if it holds more than two packets and, beyond
 * these, more than alpha times shared_bytes_left. Headroom is counted only while shared_bytes_left is 0.
 *
 * Egress. One packet per queue is free. Beyond it, queues share the rest of the buffer, egress_bytes_left. A
 * packet is dropped if its queue would hold more than is left: half of the buffer, for one queue.
 *
 * A full class sends a pause for every packet that arrives. It remembers the pause for pause_ps (pausing, and
 * pausing_until_ps). When it is no longer full, its next packet that arrives or leaves cancels the pause.
 */
#ifndef SIM_FORKS_CONWEAVE_BUFFER_H
#define SIM_FORKS_CONWEAVE_BUFFER_H

#include "sim/state/state.h"

#define CONWEAVE_QUEUE_BYTES  1049u      /* free bytes of each queue */

/* Returns the headroom of a port: the wire in both directions, and two packets. */
uint32_t conweave_headroom_bytes(const struct port *);

extern const struct account conweave_account;

#endif
