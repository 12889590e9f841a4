/* src/sim/nic/flow.h - flows: their indices, their ends, and persistent queue pairs.
 *
 * A flow is a queue pair with one message, unless it is persistent (is_lasting). A persistent flow has a
 * queue of messages. Its state (ports, sequence numbers, pacer, congestion control, receiver) survives when
 * they are done. It is then idle: it is on no list and only costs memory. A persistent queue pair is found by
 * source, destination, entry of the traffic list, class and number. Messages of an entry to one destination
 * use the numbers in rotation.
 *
 * Sequence numbers continue from message to message. With go-back-N a message begins where the last one
 * ended. With selective repeat, which counts packets, it begins at the next multiple of the MTU. In struct
 * flow
 *
 *     end                     end of the oldest unacknowledged message; UINT64_MAX: idle
 *     bytes                   end of the message being sent
 *     start_ps, ideal_ps, tag, resent_bytes   of the oldest message. Retransmissions count for it
 *
 * Messages are records of the sender's part. The receiver may run on another thread, and reads a record only
 * after a packet of that message has arrived. It remembers the last message that arrived completely, whose
 * 'next' leads to the one it receives. So a record is freed only when the following message is acknowledged.
 */
#ifndef SIM_NIC_FLOW_H
#define SIM_NIC_FLOW_H

#include "sim/nic/nic.h"

/* Returns an index for a new flow. If none is left, fails the run and returns 0. */
uint32_t flow_take(struct sim *);

/* Fails the run: there are more than 'most' flows at once. */
void flow_fail(struct engine *, uint64_t most);

/* The last byte has arrived at its destination. */
void flow_on_arrival(struct sim *, const struct flow *);

/* The flow, or its oldest message, is done: reports it, and frees the index unless it is persistent. */
void flow_end(struct sim *, struct flow *);

/* A flow that still had bytes to send when it was done has sent them: frees its index. */
void flow_retire(struct sim *, struct flow *);

/* ---- persistent queue pairs ---- */

struct posted {                  /* a message */
    uint64_t begin, end;         /* sequence numbers */
    uint64_t start_ps, ideal_ps;
    uint64_t tag;
    uint64_t arrived_ps;         /* set by the receiver when the message has arrived completely; 0: not yet */
    uint32_t next;               /* 0: none yet */
    struct operation op;
};

struct pair {                    /* parallel to struct flow */
    uint32_t number;             /* from 1 */
    uint32_t turn;               /* of number 1: the number that the last message used */
    uint32_t next_of_host;       /* list of a host's persistent queue pairs */
    uint32_t first;              /* number of its first message */
    uint32_t past;               /* last acknowledged message, kept for the receiver; 0: none */
    uint32_t head, sending, tail;    /* messages; 0: none */
};

#define PAIR_DATAGRAMS (UINT32_MAX - 1)  /* queue pair of datagrams; no other message uses this number */

struct pair *pair_of(const struct sim *, const struct flow *);

/* Returns the bytes of a flow's oldest message, and how many of them are acknowledged. */
uint64_t pair_bytes(const struct sim *, const struct flow *);
uint64_t pair_acked(const struct sim *, const struct flow *);

/* Returns true if a message counts as unfinished, and the bytes it represents. A READ counts as its request
 * until that has arrived, then as its data until that has. */
static inline bool posted_is_open(const struct posted *m)
{
    return !m->arrived_ps || (m->op.verb != VERB_ASK && m->op.verb != VERB_READ);
}

static inline uint64_t posted_bytes(const struct posted *m)
{
    return m->op.verb == VERB_ASK ? m->op.bytes : m->end - m->begin;
}

/* Returns the number of unfinished messages and adds their bytes to *bytes. */
uint32_t pair_waiting(const struct sim *, const struct flow *, uint64_t *bytes);

/* Allocates memory for this many simultaneous messages and queue pairs. */
void pair_build(struct sim *, uint32_t count);
void pair_build_part(struct sim *, uint32_t part, uint32_t parts);

/* Returns the queue pair for a message: the one it names, or the next in rotation. A new one has phase
 * FLOW_FREE; the caller fills in everything except its number. If there are too many, fails the run and
 * returns NULL. */
struct flow *pair_take(struct sim *, struct host *, const struct flow_spec *);

/* Appends a message to the queue. If there are too many, fails the run and returns false. */
bool pair_add(struct sim *, struct flow *, const struct flow_spec *, uint64_t ideal_ps);

/* Removes the oldest message, which is done. Returns true if there is another. */
bool pair_pop(struct sim *, struct flow *);

/* Finds the message that contains byte 'sent': forward from the one being sent, or from the oldest. */
void pair_go_on(struct sim *, struct flow *);
void pair_go_back(struct sim *, struct flow *);

/* Receiver: pair_receiving() returns the message being received; a packet of it or of a later one has
 * arrived. pair_on_arrival(): it has arrived completely. */
const struct posted *pair_receiving(const struct sim *, const struct flow *);
void pair_on_arrival(struct sim *, const struct flow *);

/* Reports a READ whose data has arrived, although no ACK has told its sender; nothing runs any more. */
void flow_end_read(struct sim *, struct flow *, const struct posted *);

/* Receiver: the first packet of a SEND has arrived. Returns true if there is a receive for it. */
bool pair_has_receive(const struct sim *, uint32_t flow);

/* ---- SEND ----
 *
 * A SEND consumes a receive that the destination has posted on the queue pair. cfg.receives limits their
 * number; each is reposted repost_ps after its message has arrived. A message whose first packet finds no
 * receive is refused by a NACK (RNR, receiver not ready). Its sender goes back to it and waits rnr_ps. It
 * retries forever, like a real queue pair with rnr_retry 7. Go-back-N only. */

/* A message of this flow is posted. */
void verbs_on_post(struct sim *, const struct flow_spec *);

#endif
