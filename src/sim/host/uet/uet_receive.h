/* src/sim/host/uet/uet_receive.h - UET receives: keeps what comes out of order, and answers with ACKs and
 * NACKs.
 *
 * An ACK says what is expected next, how many packets are there beyond it, and shows a map of 64 of them. It
 * goes out for every 'ack_every' packets, and at once for marked packets, copies, those whose sender asks for
 * it, the first packet of a flow, and when a gap closes whose packets had asked. A trimmed packet is answered
 * by a NACK.
 */
#ifndef SIM_HOST_UET_UET_RECEIVE_H
#define SIM_HOST_UET_UET_RECEIVE_H

#include "sim/host/uet/uet.h"

/* Handles data packet 'id'. Returns whether it has become the answer. */
bool uet_on_data(struct sim *, struct host *, uint32_t id, struct packet *);

#endif
