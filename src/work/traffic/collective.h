/* src/work/traffic/collective.h - the messages of a collective operation and their dependencies.
 *
 * A message may start when the messages it follows have arrived at its source, or were sent by its source and
 * fully acknowledged. A worker therefore only needs to know what it has itself sent and received.
 *
 *   all_to_all                   pairwise: in step k = 1 .. n-1 worker i sends to i + k; or all steps at once
 *   ring_all_reduce              2(n-1) steps around the ring, an n-th each: reduce-scatter, then all-gather
 *   tree_all_reduce              two binary trees, half of the buffer each, in chunks: up, then down
 *   halving_doubling_all_reduce  recursive halving, recursive doubling: 2 log2(n) exchanges (Rabenseifner)
 *   all_gather, reduce_scatter   n-1 steps around the ring
 *   send_next, send_previous     each worker but the last sends to the next (or previous) one; all at once
 *
 * Skew. With all_to_all, worker 'hottest' + r of n receives in proportion to (r + 1)^-skew, and 'bytes' is
 * the mean. This is the traffic of a mixture of experts that are not equally popular.
 *
 * Steps. Without channels, a worker starts a step when everything it sent in the previous step is
 * acknowledged and everything it expected in that step has arrived.
 *
 * Channels. ring_all_reduce, all_gather and reduce_scatter may use several rings at once, as NCCL does. Each
 * ring carries its share of the buffer, in chunks that are forwarded as soon as they arrive. Workers are
 * numbered server by server. Ring c enters the first server at its worker c, visits all servers, and
 * traverses every second one backwards. It therefore crosses between servers on one rail (workers with the
 * same index in their servers). With as many rings as workers per server, every worker sends to another
 * server in one ring and receives in one.
 *
 * By rail. Messages between servers stay on one rail, as with NCCL's PXN. The source first passes the message
 * to the worker of its own server on the destination's rail, which forwards it on arrival. A worker's step is
 * complete when its own messages are acknowledged by their first receiver and all messages addressed to it
 * have arrived.
 *
 * Trees. A tree has no steps. A chunk moves on when it has arrived from all children (or from the parent) and
 * the previous chunk on the same edge is acknowledged. Each chunk costs its transmission time and a round
 * trip. The trees are NCCL's double binary tree: inner nodes of the first are leaves of the second. No worker
 * sends or receives more than 2 x size, as in a ring; inner workers of a single tree would need 3 x size.
 *
 * Halving and doubling. The exchanges run among the largest power of two of workers. Each extra worker first
 * sends its buffer to a neighbor and receives the result from it at the end. The largest halves go to the
 * nearest worker (i xor 1), which is in the same rack if workers are packed.
 */
#ifndef WORK_TRAFFIC_COLLECTIVE_H
#define WORK_TRAFFIC_COLLECTIVE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define COLLECTIVE_MESSAGES_MAX 16777215u    /* a ring of 1024 workers with 8 channels */

enum collective_kind {
    COLLECTIVE_ALL_TO_ALL, COLLECTIVE_RING_ALL_REDUCE, COLLECTIVE_TREE_ALL_REDUCE,
    COLLECTIVE_HALVING_DOUBLING_ALL_REDUCE, COLLECTIVE_ALL_GATHER, COLLECTIVE_REDUCE_SCATTER,
    COLLECTIVE_SEND_NEXT, COLLECTIVE_SEND_PREVIOUS, COLLECTIVE_KINDS,
};

extern const char *const collective_names[];     /* by kind; NULL-terminated */

struct collective_cfg {
    enum collective_kind kind;
    uint32_t             workers;        /* 2 or more */
    uint64_t             bytes;  /* all_to_all: per pair; send: per message; otherwise the buffer size */
    uint64_t             chunk_bytes;    /* for trees and channels */
    bool                 is_at_once;     /* all_to_all only: start all messages together */
    uint32_t             channels;  /* rings; 0: one ring whose steps wait for ACKs of the previous step */
    uint32_t             server;         /* with channels or by rail: workers per server; 0 means 1 */
    bool                 is_by_rail;     /* all_to_all only; takes effect if servers are complete */
    double               skew;           /* all_to_all only: exponent of Zipf's law; 0: all receive alike */
    uint32_t             hottest;        /* with skew: the worker that receives most, then ever less */
};

struct collective_message {
    uint32_t src, dst;           /* workers */
    uint64_t bytes;              /* > 0 */
    uint64_t offset;             /* offset of its data in the buffer; all_to_all: 0 */
};

struct collective {
    struct collective_message *message;
    uint32_t  messages, workers;
    uint8_t  *waits;             /* by message: number of dependencies; 0: a root */
    uint32_t *root, roots;       /* messages without dependencies */

    /* Messages that depend on the arrival of m, all sent by m's destination: arrival[arrival_at[m]] up to,
     * but not including, arrival[arrival_at[m + 1]]. sent_at and sent: those that depend on m's
     * acknowledgement, all sent by m's source. */
    uint32_t *arrival_at, *arrival, *sent_at, *sent;

    uint32_t *sends, *receives;  /* by worker: number of messages */

    /* Messages of worker w, ascending: own[own_at[w]] up to, but not including, own[own_at[w + 1]]. NULL
     * until collective_list_own(). */
    uint32_t *own_at, *own;
};

/* Rejects fewer than two workers, parts of 0 bytes, and more messages than the maximum (-E2BIG). The reason
 * has no file position; the caller adds it. */
int collective_check(const struct collective_cfg *, struct err *);

/* Returns true if the kind supports channels. */
bool collective_has_rings(enum collective_kind);

/* Returns the number of messages: exact, or some number above the maximum. */
uint64_t collective_messages(const struct collective_cfg *);

/* Cannot fail for a configuration that collective_check() accepts. */
void collective_init(struct collective *, const struct collective_cfg *);
void collective_fini(struct collective *);

/* Fills 'own' with the messages that each worker sends, or also with those that it receives. */
void collective_list_own(struct collective *, bool with_receives);

/* Metrics as nccl-tests define them. Algorithm bandwidth is size / time, where size is a worker's buffer
 * including its own part (all_to_all: workers x bytes). Bus bandwidth is algorithm bandwidth x factor: the
 * load per link if the operation were optimal. */
uint64_t collective_size_bytes(const struct collective_cfg *);
double   collective_bus_factor(enum collective_kind, uint32_t workers);

/* Computes a lower bound per worker from its own link: all that it sends, or all that it receives, back to
 * back. Each packet carries up to mtu_bytes and costs overhead_bytes more. rate_bps is indexed by worker. */
void collective_link_ps(const struct collective *, uint32_t mtu_bytes, uint32_t overhead_bytes,
                        const uint64_t *rate_bps, uint64_t *busy_ps);

#endif
