/* src/sim/nic/receive.h - what the receivers of all transports share: answers, CNPs, messages. */
#ifndef SIM_NIC_RECEIVE_H
#define SIM_NIC_RECEIVE_H

#include "sim/transport/transport.h"

struct answer {                  /* to a packet */
    enum packet_kind kind;
    uint64_t         seq;        /* see enum packet_kind */
    uint32_t         prio, bytes;
    uint8_t          flags;
    bool             returns_telemetry;      /* that of the packet; only for reply_to() */
};

/* Sends an answer to packet 'k', immediately if nothing has precedence. */
void reply_to(struct sim *, const struct host *, const struct packet *k, const struct answer *);

/* Same, but reuses the packet as its answer: returns ACT_KEEP. */
enum act reply_with(struct sim *, const struct host *, struct packet *k, const struct answer *);

/* Queues a packet among the answers, or sends it immediately if nothing has precedence. */
void reply_send(struct sim *, const struct host *, uint32_t id, struct packet *);

/* Sends a CNP to the flow of packet 'k'. announced_ps: the time it carries, see CNP. */
void reply_cnp(struct sim *, const struct host *, const struct packet *k, uint64_t announced_ps);

/* Reports the messages that are complete when all bytes before 'expected' have arrived. A persistent queue
 * pair may complete several, if packets of later ones arrived earlier; otherwise the message ends at
 * 'message_end'. Returns true if there is any. */
bool receive_report_arrivals(struct sim *, const struct flow *, uint64_t message_end, uint64_t expected);

/* Count a packet that arrived out of order, and a NACK for a missing or trimmed packet. */
void receive_count_reordered(struct sim *, const struct packet *);
void receive_count_nack(struct sim *, const struct packet *);

#endif
