/* src/sim/host/uet/uet_receive.h - the UET receiver: keeps out-of-order packets and sends ACKs and NACKs.
 *
 * An ACK carries the next expected packet, the number of packets received beyond it, and a bitmap of 64 of
 * them. The receiver sends an ACK for every 'ack_every' packets. It sends one immediately
 *   - for a marked packet, a duplicate, or a packet whose sender requests it,
 *   - for the first packet of a flow,
 *   - when a gap closes and a packet in it had requested an ACK.
 * A trimmed packet is answered by a NACK.
 */
#ifndef SIM_HOST_UET_UET_RECEIVE_H
#define SIM_HOST_UET_UET_RECEIVE_H

#include "sim/host/uet/uet.h"

/* Handles data packet 'id'. Returns true if the packet was reused as the answer. */
bool uet_on_data(struct sim *, struct host *, uint32_t id, struct packet *);

#endif
