/* src/sim/transport/rc/rc.h - reliable connections of RoCE. rc_send.c sends, rc_receive.c receives,
 * rc_answer.c handles ACKs, NACKs, CNPs and timeouts.
 *
 * A receiver that misses a packet sends a NACK, and the sender goes back to it, or repeats what is missing
 * (selective_repeat.h). flow.h has messages and SENDs.
 */
#ifndef SIM_TRANSPORT_RC_RC_H
#define SIM_TRANSPORT_RC_RC_H

#include "sim/transport/transport.h"

/* What a queue pair does besides sending and receiving in order; NULL: nothing. */
struct rc {
    bool                 asks;       /* one ACK covers several packets, and senders may request it */
    struct selective_tx *tx;         /* selective repeat, by flow; NULL: go-back-N */
    struct selective_rx *rx;
};

static inline struct rc *rc_of(const struct sim *s)
{
    return (struct rc *)s->hosts.own[TRANSPORT_RC];
}

/* ---- sender ---- */

bool     rc_seek(struct sim *, struct host *, struct flow *);
bool     rc_next(struct sim *, struct host *, uint32_t flow);
uint64_t rc_timer(struct sim *, struct host *, struct flow *);

/* Makes a queue pair retransmit everything that is not acknowledged. */
void rc_resend(struct sim *, struct host *, struct flow *);

/* Selective repeat: moves a flow to the byte to send next. */
void rc_find_next(struct sim *, struct flow *);

/* ---- receiver, also for models whose receivers differ ---- */

/* model.on_copy of a real NIC: acknowledges the received bytes again. */
void rc_ack_copy(struct sim *, struct host *, struct flow_rx *, const struct packet *, uint8_t flags);

/* Sends an ACK for all bytes before 'expected', in answer to packet 'k'. */
void rc_acknowledge(struct sim *, const struct host *, const struct packet *k, uint64_t expected,
                    uint8_t flags);

/* Sends a NACK: byte 'expected' is missing. At most one per nack_gap. */
void rc_complain(struct sim *, struct host *, struct flow_rx *, const struct packet *, uint64_t expected,
                 uint8_t flags);

/* Returns true if nack_gap has passed since the last answer about this byte, and records an answer now. */
bool rc_may_answer(const struct sim *, struct flow_rx *, uint64_t expected);

/* If one ACK covers several packets: returns true if this packet is acknowledged immediately. */
bool rc_is_acked_at_once(const struct sim *, uint64_t expected, const struct packet *, uint8_t flags);

#endif
