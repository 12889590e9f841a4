/* src/traffic/collective.h - what a collective operation sends: messages between workers, and which follow which.
 *
 * A message follows others: it may start when those have arrived at its source, or have been sent by its
 * source and acknowledged in full. So a worker needs to know nothing but what it has itself sent and
 * received.
 *
 *   all_to_all                   pairwise: in step k = 1 .. n-1 worker i sends to i + k; or all of that at once
 *   ring_all_reduce              2(n-1) steps around the ring, an n-th in each: reduce-scatter, all-gather
 *   tree_all_reduce              two binary trees, half of the buffer each, in chunks: up, then down
 *   halving_doubling_all_reduce  recursive halving, recursive doubling: 2 log2(n) exchanges (Rabenseifner)
 *   all_gather, reduce_scatter   n-1 steps around the ring
 *   send_next, send_previous     each worker but the last sends to the next, or to the one before it; all at once
 *
 * With channels, ring_all_reduce, all_gather and reduce_scatter go round several rings at once, each with its share of the buffer, and
 * what is passed on goes in chunks, each as soon as it has come: as NCCL does it. Workers are those of servers, one server after
 * the other. Ring c enters the first server at its worker c and goes through all of them, and every second server the other way
 * round; so it goes from server to server between workers of the same place (the same rail), and with as many rings as a
 * server has workers every worker sends to another server in one ring, and receives in one.
 *
 * By rail, what goes from one server to another goes between workers of the same place (the same rail): the source first gives it to the worker of its own server
 * that has the destination's place, which sends it on when it has come, as NCCL does with PXN. A step of a worker then is over when what it sent itself is
 * acknowledged, whomever it went to first, and what was for it has come.
 *
 * Without channels a worker's step begins when what it sent in the step before is acknowledged and what was to come to it in
 * that step has come. A tree has no steps: a chunk goes on when it has come from all children (or from the
 * parent) and the chunk before it, on the same edge, is acknowledged; so a chunk costs its time on the wire
 * and a round-trip time.
 *
 * The trees are NCCL's double binary tree: who has children in the first is a leaf in the second, so nobody
 * sends or receives more than 2 x size, as little as in a ring, where inner workers of a single tree would
 * have 3.
 *
 * Halving and doubling go among the largest power of two of workers; each worker beyond it first gives all of
 * its buffer to a neighbour and at the end gets the result from there. The largest halves go to the nearest
 * worker (i xor 1), which packed workers have in their rack.
 */
#ifndef TRAFFIC_COLLECTIVE_H
#define TRAFFIC_COLLECTIVE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define COLLECTIVE_MESSAGES_MAX 4000000u

enum collective_kind {
    COLLECTIVE_ALL_TO_ALL,
    COLLECTIVE_RING_ALL_REDUCE,
    COLLECTIVE_TREE_ALL_REDUCE,
    COLLECTIVE_HALVING_DOUBLING_ALL_REDUCE,
    COLLECTIVE_ALL_GATHER,
    COLLECTIVE_REDUCE_SCATTER,
    COLLECTIVE_SEND_NEXT,
    COLLECTIVE_SEND_PREVIOUS,
    COLLECTIVE_KINDS,
};

extern const char *const collective_names[];     /* by kind; ends with NULL */

struct collective_cfg {
    enum collective_kind kind;
    uint32_t             workers;        /* 2 or more */
    uint64_t             bytes;          /* all_to_all: from each worker to each other; send: each message; else the buffer */
    uint64_t             chunk_bytes;    /* tree, and with channels */
    bool                 is_at_once;     /* all_to_all alone: no message waits for another */
    uint32_t             channels;       /* rings; 0: one, and a step waits for the acknowledgement of the one before */
    uint32_t             server;         /* with channels, or by rail: workers of a server; 0: 1 */
    bool                 is_by_rail;     /* all_to_all alone, and if 'workers' are whole servers */
};

struct collective_message {
    uint32_t src, dst;           /* workers */
    uint64_t bytes;              /* > 0 */
    uint64_t offset;             /* of what it carries, in the buffer; all_to_all: 0 */
};

struct collective {
    struct collective_message *message;
    uint32_t  messages, workers;
    uint8_t  *waits;             /* by message: how many it follows; 0: a root */
    uint32_t *root, roots;       /* those that start the collective */

    /* Those that follow the arrival of m: arrival[arrival_at[m]] .. before arrival[arrival_at[m + 1]], all
     * from m's destination; those that follow its having been sent, likewise, all from m's source. */
    uint32_t *arrival_at, *arrival, *sent_at, *sent;

    uint32_t *sends, *receives;  /* by worker: how many messages */
};

/* Refuses what cannot be: fewer than two workers, parts of 0 bytes, more messages than the maximum
 * (-E2BIG). The reason has no place in front. */
int collective_check(const struct collective_cfg *, struct err *);

/* Can it have channels? */
bool collective_has_rings(enum collective_kind);

/* How many messages there are; exact, or more than the maximum. */
uint64_t collective_messages(const struct collective_cfg *);

/* Cannot fail on what the check accepts. */
void collective_init(struct collective *, const struct collective_cfg *);
void collective_fini(struct collective *);

/* As nccl-tests define them. Algorithm bandwidth is size / time, where the size is that of a worker's
 * buffer, its own part included (all_to_all: workers x bytes); bus bandwidth is algorithm bandwidth x
 * factor: what each link carries, were the operation done as cheaply as can be. */
uint64_t collective_size_bytes(const struct collective_cfg *);
double   collective_bus_factor(enum collective_kind, uint32_t workers);

/* By worker, the least time it can take by the worker's own link: all that it sends, or receives, back to back. Each
 * packet of up to mtu_bytes has overhead_bytes on the wire besides. rate_bps: likewise by worker. */
void collective_link_ps(const struct collective *, uint32_t mtu_bytes, uint32_t overhead_bytes, const uint64_t *rate_bps,
                        uint64_t *busy_ps);

#endif
