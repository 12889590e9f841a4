/* src/sim/host/receive.h - the receiver's half of a NIC: order of packets, ACKs and NACKs. */
#ifndef SIM_HOST_RECEIVE_H
#define SIM_HOST_RECEIVE_H

#include "sim/host/nic.h"

/* A data packet of a queue pair has arrived. Returns true if it was reused as its own ACK; otherwise the
 * caller still owns it. */
bool receive_data(struct sim *, struct host *, uint32_t id, struct packet *);

/* model.on_copy of a real NIC: acknowledges again what has arrived. */
void receive_ack_copy(struct sim *, struct host *, struct flow_rx *, const struct packet *, uint8_t flags);

/* Reports the messages that are complete when all bytes before 'expected' have arrived. There may be
 * several of a persistent queue pair, if packets of later ones arrived before; otherwise the message ends
 * at 'message_end'. Returns whether there is any. */
bool receive_tell_arrivals(struct sim *, const struct flow *, uint64_t message_end, uint64_t expected);

/* A packet came out of order; one that was missing or trimmed gets a NACK. */
void receive_count_reordered(struct sim *, const struct packet *);
void receive_count_nack(struct sim *, const struct packet *);

/* ---- for models with other receivers ---- */

/* Sends an ACK for all bytes before 'expected', in answer to packet 'k'. */
void receive_acknowledge(struct sim *, const struct host *, const struct packet *k, uint64_t expected,
                         uint8_t flags);

/* Sends a NACK: byte 'expected' is missing. At most one per nack_gap. */
void receive_complain(struct sim *, struct host *, struct flow_rx *, const struct packet *, uint64_t expected,
                      uint8_t flags);

/* Returns whether nack_gap has passed since the last answer about this byte, and notes that there is one
 * now. */
bool receive_may_answer(const struct sim *, struct flow_rx *, uint64_t expected);

/* Where ACKs are for several packets: returns whether this one has its own. */
bool receive_is_acked_at_once(const struct sim *, uint64_t expected, const struct packet *, uint8_t flags);

#endif
