/* src/sim/host/pair/pair.h - queue pairs that live on: messages go in order, and what was learnt stays.
 *
 * A flow of struct flow is a queue pair with one message, unless it is lasting: then it has a queue of messages, and
 * what a queue pair is (its ports, sequence numbers, pacer, what congestion control and the receiver remember of it)
 * stays when they are through. It is idle then: in no list that anything goes through, so that it costs nothing but
 * memory. Queue pairs are found by their source, destination, entry of the traffic list, class and number; messages of
 * an entry to one destination take the numbers in turn.
 *
 * Sequence numbers go on from message to message. With go-back-N a message begins where the last one ended; with
 * selective repeat, which counts in packets, at the next multiple of the MTU. In struct flow
 *
 *     end                     of the oldest message that is not acknowledged; UINT64_MAX: idle
 *     bytes                   of the one that is being sent
 *     start_ps, ideal_ps, tag, resent_bytes   are the oldest one's. What is sent again counts for the oldest: on it the
 *                             others wait
 *
 * Messages are records of the sender's part. The receiver may run beside it, and reads a record only after a packet of
 * that message has come to it. It knows the last that came in full, whose 'next' leads to the one it is receiving: so a
 * record is given back when the following one is acknowledged, not before.
 */
#ifndef SIM_HOST_PAIR_PAIR_H
#define SIM_HOST_PAIR_PAIR_H

#include "sim/host/nic.h"

#define PAIR_SLOTS_MIN 1024u      /* of the table of a part: see pair_table.h */

struct posted {                  /* a message */
    uint64_t begin, end;         /* sequence numbers */
    uint64_t start_ps, ideal_ps;
    uint64_t tag;
    uint32_t next;               /* 0: none yet */
};

struct pair {                    /* beside struct flow */
    uint32_t number;             /* from 1 */
    uint32_t turn;               /* number 1: of the last message */
    uint32_t next_of_host;       /* lasting queue pairs of a host are a list */
    uint32_t first;              /* its first message, ever */
    uint32_t past;               /* acknowledged last, kept for the receiver; 0: none */
    uint32_t head, sending, tail;    /* messages; 0: none */
};

static inline struct pair *pair_of(const struct sim *s, const struct flow *f)
{
    return &s->flows.pairs.pair[f - s->flows.flow];
}

/* Bytes of a flow's oldest message, and what is acknowledged of it. */
static inline uint64_t pair_bytes(const struct sim *s, const struct flow *f)
{
    return f->is_lasting ? f->end - s->flows.pairs.posted[pair_of(s, f)->head].begin : f->bytes;
}

static inline uint64_t pair_acked(const struct sim *s, const struct flow *f)
{
    return f->is_lasting ? f->acked - s->flows.pairs.posted[pair_of(s, f)->head].begin : f->acked;
}

/* How many messages of a flow are not over; adds up their bytes. */
uint32_t pair_waiting(const struct sim *, const struct flow *, uint64_t *bytes);

/* Makes room for so many messages and queue pairs at a time. */
void pair_build(struct sim *, uint32_t count);
void pair_build_part(struct sim *, uint32_t part, uint32_t parts);
void pair_free(struct sim *);

/* Puts a message at the end of the queue. False: there are too many, and the run has failed. */
bool pair_add(struct sim *, struct flow *, const struct flow_spec *, uint64_t ideal_ps);

/* The oldest message is over. Returns whether there is another. */
bool pair_pop(struct sim *, struct flow *);

/* What is sent next: goes on to the message that 'sent' is in, from the one that is being sent or from the oldest. */
void pair_go_on(struct sim *, struct flow *);
void pair_go_back(struct sim *, struct flow *);

/* ---- the receiver ---- */

/* The message that is being received. At least one packet of it, or of one behind it, has come. */
const struct posted *pair_receiving(const struct sim *, const struct flow *);

/* It has come in full. */
void pair_on_arrival(struct sim *, const struct flow *);

#endif
