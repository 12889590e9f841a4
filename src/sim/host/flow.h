/* src/sim/host/flow.h - flows: their indices, their ends, and queue pairs that persist.
 *
 * A flow is a queue pair with one message, unless it is persistent (is_lasting): then it has a queue of
 * messages, and its state (ports, sequence numbers, pacer, what congestion control and the receiver remember)
 * stays when they are done. It is idle then: on no list, so that it only costs memory. Persistent queue pairs
 * are found by source, destination, entry of the traffic list, class and number; messages of an entry to one
 * destination use the numbers in rotation.
 *
 * Sequence numbers continue from message to message. With go-back-N a message begins where the last one
 * ended; with selective repeat, which counts packets, at the next multiple of the MTU. In struct flow
 *
 *     end                     of the oldest message that is not acknowledged; UINT64_MAX: idle
 *     bytes                   of the one that is being sent
 *     start_ps, ideal_ps, tag, resent_bytes   of the oldest. Retransmissions count for it
 *
 * Messages are records of the sender's part. The receiver may run on another thread, and reads a record only
 * after a packet of that message has arrived. It knows the last message that arrived in full, whose 'next'
 * leads to the one it receives: so a record is freed when the following one is acknowledged, not before.
 */
#ifndef SIM_HOST_FLOW_H
#define SIM_HOST_FLOW_H

#include "sim/host/nic.h"

/* Returns an index for a new flow. 0: there is none left, and the run has failed. */
uint32_t flow_take(struct sim *);

/* The run fails: there are more than 'most' flows at once. */
void flow_fail(struct engine *, uint64_t most);

/* The last byte has arrived at its destination. */
void flow_on_arrival(struct sim *, const struct flow *);

/* The source knows that the flow, or its oldest message, is over: reports it, and frees the index unless the
 * flow is persistent. */
void flow_end(struct sim *, struct flow *);

/* A flow that still had bytes to send when it ended has sent them: frees its index. */
void flow_retire(struct sim *, struct flow *);

/* ---- persistent queue pairs ---- */

struct posted {                  /* a message */
    uint64_t begin, end;         /* sequence numbers */
    uint64_t start_ps, ideal_ps;
    uint64_t tag;
    uint64_t arrived_ps;         /* written by the receiver when it has arrived in full; 0: not yet */
    uint32_t next;               /* 0: none yet */
    struct operation op;
};

struct pair {                    /* parallel to struct flow */
    uint32_t number;             /* from 1 */
    uint32_t turn;               /* number 1: that of the last message */
    uint32_t next_of_host;       /* list of a host's persistent queue pairs */
    uint32_t first;              /* its first message, ever */
    uint32_t past;               /* acknowledged last, kept for the receiver; 0: none */
    uint32_t head, sending, tail;    /* messages; 0: none */
};

#define PAIR_DATAGRAMS (UINT32_MAX - 1)  /* number of the queue pair of datagrams; no other message uses it */

struct pair *pair_of(const struct sim *, const struct flow *);

/* Bytes of a flow's oldest message, and how many of them are acknowledged. */
uint64_t pair_bytes(const struct sim *, const struct flow *);
uint64_t pair_acked(const struct sim *, const struct flow *);

/* Whether a message counts as one that is not over, and the bytes that it stands for. A READ counts by its
 * request until that has arrived, then by its data. */
static inline bool posted_is_open(const struct posted *m)
{
    return m->op.verb != VERB_ASK || !m->arrived_ps;
}

static inline uint64_t posted_bytes(const struct posted *m)
{
    return m->op.verb == VERB_ASK ? m->op.bytes : m->end - m->begin;
}

/* Returns the number of messages that are not over; adds their bytes. */
uint32_t pair_waiting(const struct sim *, const struct flow *, uint64_t *bytes);

/* Makes room for so many messages and queue pairs at once. */
void pair_build(struct sim *, uint32_t count);
void pair_build_part(struct sim *, uint32_t part, uint32_t parts);
void pair_free(struct sim *);

/* Returns the queue pair for a message: the one it names, or the next in rotation. A new one has phase
 * FLOW_FREE, and the caller fills in all but its number. NULL: there are too many, and the run has failed. */
struct flow *pair_take(struct sim *, struct host *, const struct flow_spec *);

/* Appends a message to the queue. Returns false if there are too many, and the run has failed. */
bool pair_add(struct sim *, struct flow *, const struct flow_spec *, uint64_t ideal_ps);

/* The oldest message is over. Returns whether there is another. */
bool pair_pop(struct sim *, struct flow *);

/* Moves to the message that 'sent' is in: forward from the one that is being sent, or from the oldest. */
void pair_go_on(struct sim *, struct flow *);
void pair_go_back(struct sim *, struct flow *);

/* The receiver: the message that is being received, of which or of a later one a packet has arrived; it has
 * arrived in full. */
const struct posted *pair_receiving(const struct sim *, const struct flow *);
void pair_on_arrival(struct sim *, const struct flow *);

/* The receiver: the first packet of a SEND has come. Returns whether there is a receive for it: see
 * verbs.h. */
bool pair_has_receive(const struct sim *, uint32_t flow);

#endif
