/* src/sim/host/receive.h - the receiver's half of a NIC: packet order, ACKs, NACKs and CNPs. */
#ifndef SIM_HOST_RECEIVE_H
#define SIM_HOST_RECEIVE_H

#include "sim/host/transport.h"

struct answer {                  /* to a packet */
    enum packet_kind kind;
    uint64_t         seq;        /* see enum packet_kind */
    uint32_t         prio, bytes;
    uint8_t          flags;
};

/* Sends an answer to packet 'k', immediately if nothing has precedence. */
void reply_to(struct sim *, const struct host *, const struct packet *k, const struct answer *);

/* Same, but reuses the packet as its answer: returns ACT_KEEP. */
enum act reply_with(struct sim *, const struct host *, struct packet *k, const struct answer *);

/* Queues a packet among the answers, or sends it immediately if nothing has precedence. */
void reply_send(struct sim *, const struct host *, uint32_t id, struct packet *);

/* Sends a CNP to the flow of packet 'k'. announced_ps: the time it carries, see CNP. */
void reply_cnp(struct sim *, const struct host *, const struct packet *k, uint64_t announced_ps);

/* model.on_copy of a real NIC: acknowledges the received bytes again. */
void receive_ack_copy(struct sim *, struct host *, struct flow_rx *, const struct packet *, uint8_t flags);

/* Reports the messages that are complete when all bytes before 'expected' have arrived. A persistent queue
 * pair may complete several, if packets of later ones arrived earlier; otherwise the message ends at
 * 'message_end'. Returns true if there is any. */
bool receive_report_arrivals(struct sim *, const struct flow *, uint64_t message_end, uint64_t expected);

/* Count a packet that arrived out of order, and a NACK for a missing or trimmed packet. */
void receive_count_reordered(struct sim *, const struct packet *);
void receive_count_nack(struct sim *, const struct packet *);

/* ---- for models with other receivers ---- */

/* Sends an ACK for all bytes before 'expected', in answer to packet 'k'. */
void receive_acknowledge(struct sim *, const struct host *, const struct packet *k, uint64_t expected,
                         uint8_t flags);

/* Sends a NACK: byte 'expected' is missing. At most one per nack_gap. */
void receive_complain(struct sim *, struct host *, struct flow_rx *, const struct packet *, uint64_t expected,
                      uint8_t flags);

/* Returns true if nack_gap has passed since the last answer about this byte, and records an answer now. */
bool receive_may_answer(const struct sim *, struct flow_rx *, uint64_t expected);

/* If one ACK covers several packets: returns true if this packet is acknowledged immediately. */
bool receive_is_acked_at_once(const struct sim *, uint64_t expected, const struct packet *, uint8_t flags);

#endif
