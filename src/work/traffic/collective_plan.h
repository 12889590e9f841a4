/* src/work/traffic/collective_plan.h - the messages of collectives in traces (work/net/trace.h).
 *
 * A collective consists of consecutive phases. Each phase is a collective (work/traffic/collective.h) of some
 * ranks of the group. Without dimensions there is one phase of the whole group. With dimensions, collectives
 * of all ranks run dimension by dimension, nearest first, like ASTRA-sim's bandwidth-aware collectives:
 *
 *   all-reduce  a reduce-scatter in each dimension but the last, an all-reduce there, and all-gathers back
 *   all-gather  starts with the last dimension
 *   all-to-all  one in each dimension
 *
 * A rank enters the next phase when it has sent and received all its messages of the current one.
 *
 * The messages of a phase form a plan. A plan is built when the first rank needs it, and shared by all equal
 * phases of any group and collective that run at the same time. Functions are thread-safe.
 */
#ifndef WORK_TRAFFIC_COLLECTIVE_PLAN_H
#define WORK_TRAFFIC_COLLECTIVE_PLAN_H

#include "work/net/trace.h"
#include "work/traffic/collective.h"

#define PLAN_DIMS_MAX   16u
#define PLAN_PHASES_MAX (2 * PLAN_DIMS_MAX)

/* Settings for collectives. */
struct plan_cfg {
    enum collective_kind all_reduce;         /* algorithm */
    uint32_t             channels;           /* see work/traffic/collective.h */
    uint64_t             chunk_bytes;        /* see work/traffic/collective.h */
    bool                 is_by_rail;         /* all_to_all: see work/traffic/collective.h */
    const uint32_t      *server;             /* by rank: its multi-GPU server, or 0; NULL: no such servers */
    uint32_t             dim[PLAN_DIMS_MAX], dims;  /* product: the number of ranks; dims 0: one dimension */
};

struct plan {
    struct collective     c;         /* its 'own' has what workers send and receive */

    /* Private to plan.c: */
    struct collective_cfg cfg;
    uint32_t              users;
    struct plan          *next;
};

/* A phase from the point of view of one rank. */
struct plan_phase {
    struct plan *plan;           /* NULL: no messages */
    uint32_t     worker;         /* the rank's own worker number */
    uint32_t     first, stride;  /* worker w is the group's rank number first + w x stride */
};

/* Copies the settings. */
struct plans *plans_new(const struct plan_cfg *, uint32_t ranks);
void          plans_free(struct plans *);            /* NULL: does nothing */

/* Rejects impossible collectives of a sealed trace. Returns the total number of their messages in
 * 'messages'. */
int plans_check(const struct plans *, const struct trace *, double *messages, struct err *);

uint32_t plans_phases(const struct plans *, const struct trace *, const struct trace_op *);

/* Takes phase number 'phase' of a collective for one of its ranks. The caller returns it with
 * plans_give(). */
void plans_take(struct plans *, const struct trace *, const struct trace_op *, uint32_t rank, uint32_t phase,
                struct plan_phase *);
void plans_give(struct plans *, struct plan *);

#endif
