/* src/traffic/perform.h - carries out a trace (net/trace.h): a job whose workers are the ranks.
 *
 * An operation begins when nothing is left that it waits for, and, if it computes, when its processor is free; processors take
 * operations in the order in which they become ready, or by number. What a rank is told and does, happens at its host.
 */
#ifndef TRAFFIC_PERFORM_H
#define TRAFFIC_PERFORM_H

#include "net/trace.h"
#include "traffic/collective.h"
#include "traffic/job.h"

/* Adds an entry; rank i is on hosts[i]. The trace, sealed and without collectives, belongs to it from now on. */
void perform_add(struct traffic *, const struct traffic_kind *, const struct traffic_common *, struct trace *, const uint32_t *hosts);

/* The hooks of a kind that does. */
void perform_on_arrival(struct job *, uint64_t now_ps, const struct message *);
void perform_on_sent(struct job *, uint64_t now_ps, const struct message *);
void perform_on_wake(struct job *, uint64_t now_ps, uint32_t worker, uint64_t tag);
void perform_free(void *state);

/* ---- perform_expand.c ---- */

#define EXPAND_DIMS_MAX 16u

/* How collectives are done. With dimensions, those of all ranks go dimension by dimension, the nearest first, as ASTRA-sim's do if it
 * is to be aware of bandwidths: an all-reduce is a reduce-scatter in each but the last, an all-reduce there, and all-gathers back; an all-gather begins with the
 * last; an all-to-all is one in each. A rank goes on to the next when it has all that it sends and receives in one behind it. */
struct expand_cfg {
    enum collective_kind all_reduce;         /* which of them */
    uint32_t             channels;           /* of rings, and */
    uint64_t             chunk_bytes;        /* chunks: see traffic/collective.h */
    bool                 is_by_rail;         /* all_to_all: likewise */
    const uint32_t      *server;             /* by rank: of several GPUs, or 0 */
    uint32_t             dim[EXPAND_DIMS_MAX], dims;     /* their product is the number of ranks; none: there is one */
};

/* Replaces the collectives of a trace that is not sealed by messages (traffic/collective.h), and seals it. Refuses those that
 * differ from rank to rank. On failure the trace is as it was. */
int perform_expand(struct trace *, const struct expand_cfg *, struct err *);

#endif
