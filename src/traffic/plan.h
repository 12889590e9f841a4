/* src/traffic/plan.h - collectives of traces (net/trace.h): which messages they are.
 *
 * A collective goes in phases, one after the other, and each phase is a collective (traffic/collective.h) of some ranks of the group. Without
 * dimensions there is one phase, of the whole group. With dimensions, collectives of all ranks go dimension by dimension, the nearest
 * first, as ASTRA-sim's do if it is to be aware of bandwidths: an all-reduce is a reduce-scatter in each but the last, an all-reduce there, and
 * all-gathers back; an all-gather begins with the last; an all-to-all is one in each. A rank goes on to the next phase when it has all
 * that it sends and receives in one behind it.
 *
 * The messages of a phase are a plan. It is made when the first rank needs it and shared by all who need the same, whichever group and
 * collective they are of; those that nobody needs any longer are kept as long as there is room. Ranks may ask at the same time.
 */
#ifndef TRAFFIC_PLAN_H
#define TRAFFIC_PLAN_H

#include "net/trace.h"
#include "traffic/collective.h"

#define PLAN_DIMS_MAX   16u
#define PLAN_PHASES_MAX (2 * PLAN_DIMS_MAX)

/* How collectives are done. */
struct plan_cfg {
    enum collective_kind all_reduce;         /* which of them */
    uint32_t             channels;           /* of rings, and */
    uint64_t             chunk_bytes;        /* chunks: see traffic/collective.h */
    bool                 is_by_rail;         /* all_to_all: likewise */
    const uint32_t      *server;             /* by rank: of several GPUs, or 0; NULL: there are none */
    uint32_t             dim[PLAN_DIMS_MAX], dims;       /* their product is the number of ranks; none: there is one */
};

struct plan {
    struct collective     c;
    uint32_t             *own_at, *own;      /* what worker w sends and receives: own[own_at[w]] .. before own[own_at[w + 1]], ascending */

    /* Of plan.c: */
    struct collective_cfg cfg;
    uint32_t              users;
    struct plan          *next;
};

/* A phase as one of its ranks sees it. */
struct plan_phase {
    struct plan *plan;           /* NULL: it has no messages */
    uint32_t     worker;         /* it is this one; worker w is */
    uint32_t     first, stride;  /* the group's rank number first + w x stride */
};

/* Copies the settings. */
struct plans *plans_new(const struct plan_cfg *, uint32_t ranks);
void          plans_free(struct plans *);            /* NULL: does nothing */

/* Refuses collectives of a sealed trace that cannot be; tells how many messages all of them have. */
int plans_check(const struct plans *, const struct trace *, double *messages, struct err *);

uint32_t plans_phases(const struct plans *, const struct trace *, const struct trace_op *);

/* Phase number 'phase' of a collective, for one of its ranks; it is given back when the rank is through with it. */
void plans_take(struct plans *, const struct trace *, const struct trace_op *, uint32_t rank, uint32_t phase, struct plan_phase *);
void plans_give(struct plans *, struct plan *);

#endif
