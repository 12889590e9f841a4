/* src/traffic/iteration.h - what an iteration of training sends: collectives, one after the other, in groups of workers.
 *
 * An iteration is a list of steps. In a step every worker computes for a while and then does a collective with the others of
 * its group (traffic/parallel.h); a step may be done several times. A step that is done once is a stage. A worker goes from
 * stage to stage by itself: it begins the next when it has sent and received all of the last. So groups need not be in the
 * same stage, and a worker may receive messages of a stage that it has not begun; it sends none of it before.
 *
 * Two kinds of steps let computing and sending overlap:
 *
 *   overlapped  a worker that has computed goes on to the next step while the collective is under way. The collectives of a
 *               worker with groups of one kind are done one after the other all the same, as on one stream of NCCL.
 *   pipelined   (of send_next and send_previous) a worker computes when it has received, sends what it has computed and goes
 *               on at once: 'times' is how many micro-batches follow each other through the pipeline, which fills and drains.
 *
 * An iteration is over when all that was left behind is.
 *
 * All messages of all stages are written down once, numbered through. Every message waits for one thing more than its
 * collective says: for its worker to begin the stage.
 */
#ifndef TRAFFIC_ITERATION_H
#define TRAFFIC_ITERATION_H

#include "traffic/collective.h"
#include "traffic/parallel.h"

#define ITERATION_STEPS_MAX 256u
#define ITERATION_CELLS_MAX (1u << 24)           /* stages x workers */
#define ITERATION_NO_LANE   PARALLEL_GROUPS
#define ITERATION_NO_STAGE  UINT32_MAX

struct iteration_step {
    uint64_t              compute_ps;            /* before the collective */
    struct collective_cfg collective;            /* 'workers' is that of the group */
    enum parallel_group   group;
    uint32_t              times;                 /* 1 or more */
    uint64_t              before_ps;             /* computed once, before the first of them: before anything is received, too */
    bool                  is_overlapped, is_pipelined;
};

struct iteration_cfg {
    struct parallel              parallel;
    const struct iteration_step *step;
    uint32_t                     steps;          /* 1 or more */
};

struct iteration {
    struct collective_message *message;          /* between workers of the job */
    uint32_t  messages, workers, stages;
    uint8_t  *waits;                             /* by message: for how many things, its worker's beginning among them */
    uint32_t *stage_of;                          /* by message */
    uint32_t *arrival_at, *arrival, *sent_at, *sent;     /* as in struct collective */
    uint64_t *compute_ps, *before_ps;            /* by stage */
    uint8_t  *lane;                              /* by stage: the kind of its groups; ITERATION_NO_LANE: it is pipelined */
    uint32_t *next_in_lane;                      /* by stage: the next one with the same; ITERATION_NO_STAGE */
    bool     *is_overlapped;                     /* by stage */
    uint32_t *own_at, *own;                      /* messages that a worker sends in a stage, from own_at[stage * workers + worker] on */
    uint32_t *count;                             /* [stage * workers + worker]: messages that it sends or receives */
    uint32_t  roots_max;                         /* messages that a worker may start together, about */
};

/* Refuses more messages or stages than there may be. The steps have been checked. The reason has no place in front. */
int iteration_check(const struct iteration_cfg *, struct err *);

void iteration_init(struct iteration *, const struct iteration_cfg *);
void iteration_fini(struct iteration *);

/* How many messages are under way at once, at most: a worker has those of one stage alone, but for steps that it leaves
 * behind, and each waits for the one before it, but those that start together. */
uint64_t iteration_flows(const struct iteration_cfg *);

/* The least time it can take: what the worker that is slowest by its own link and its computing needs, or, where they overlap,
 * by the one or the other; a pipeline's filling counts. rate_bps: by worker. */
uint64_t iteration_bound_ps(const struct iteration_cfg *, uint32_t mtu_bytes, uint32_t overhead_bytes,
                            const uint64_t *rate_bps);

#endif
