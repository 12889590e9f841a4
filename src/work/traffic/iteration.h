/* src/work/traffic/iteration.h - a training iteration: a sequence of collectives in groups of workers.
 *
 * An iteration is a list of steps. In a step, every worker computes and then takes part in a collective of
 * its group (work/traffic/parallel.h). A step may be repeated; each repetition is a stage. A worker enters
 * the next stage when it has sent and received all messages of the current one. Groups may therefore be in
 * different stages, and a worker may receive messages of a stage it has not entered. It sends none of them
 * before it enters.
 *
 * Two kinds of steps overlap computing and communication:
 *
 *   overlapped  after computing, a worker continues with the next step while the collective is running. Its
 *               collectives with groups of one kind still run one after the other, as on one NCCL stream.
 *   pipelined   (send_next and send_previous) a worker computes when it has received its input, sends the
 *               result and continues at once. 'times' is the number of micro-batches; the pipeline fills
 *               and drains. Other steps may be inside of it: a worker does them for each micro-batch, after
 *               it has computed and before it sends. Such a micro-batch has a stage in which it is received,
 *               the stages of the steps inside, and a stage in which it is sent.
 *
 * An iteration ends when all overlapped collectives have ended.
 *
 * Messages have consecutive numbers: stage by stage, and in a stage group by group. Only the messages of one
 * group are kept, once for all stages of a step; iteration_find() computes the others. Each message has one
 * dependency more than in its collective: its worker has entered the stage.
 */
#ifndef WORK_TRAFFIC_ITERATION_H
#define WORK_TRAFFIC_ITERATION_H

#include "work/traffic/collective.h"
#include "work/traffic/parallel.h"

#define ITERATION_STEPS_MAX 1024u
#define ITERATION_CELLS_MAX (1u << 24)           /* stages x workers */
#define ITERATION_MESSAGES_MAX 1000000000u       /* a byte of memory each */
#define ITERATION_NO_LANE   PARALLEL_GROUPS
#define ITERATION_NO_STAGE  UINT32_MAX
#define ITERATION_KINDS     (COLLECTIVE_KINDS * PARALLEL_GROUPS) /* of collectives: what, in which groups */

struct iteration_step {
    uint64_t              compute_ps;            /* before the collective */
    struct collective_cfg collective;            /* 'workers' is the group size */
    enum parallel_group   group;
    uint32_t              times;                 /* 1 or more */
    uint64_t              before_ps;  /* computed once, before the first repetition and any receipt */
    bool                  is_overlapped, is_pipelined;
    uint32_t              inside;                /* pipelined: number of following steps inside it */
};

struct iteration_cfg {
    struct parallel              parallel;
    const struct iteration_step *step;
    uint32_t                     steps;          /* 1 or more */
};

struct iteration_stage {
    const struct collective     *plan;           /* messages of one group; NULL: it only receives */
    enum parallel_group          group;
    uint32_t                     first;          /* number of its first message */
    uint32_t                     arrives_in;     /* stage of its messages' receivers */
    uint64_t                     compute_ps, before_ps;
    uint8_t                      kind;           /* see iteration_kind_name() */
    uint8_t                      lane;           /* kind of group; ITERATION_NO_LANE: pipelined */
    bool                         is_overlapped;
    uint32_t                     next_in_lane;   /* next stage with the same lane, or ITERATION_NO_STAGE */
};

struct iteration {
    struct parallel         parallel;
    struct iteration_stage *stage;
    uint32_t                messages, workers, stages;
    uint32_t               *count;  /* [stage * workers + worker]: number of messages it sends or receives */
    uint32_t                roots_max;  /* approximate number of messages that a worker starts together */
    struct collective      *plan;                /* of all stages */
    uint32_t                plans;
};

/* A message by its number. Message m of its plan has the number first + m, in the same group. */
struct iteration_message {
    const struct collective *c;
    uint32_t                 stage, group, m, first;
};

struct iteration_message iteration_find(const struct iteration *, uint32_t number);

/* Returns the worker of the job that is a member of a message's group. */
uint32_t iteration_worker(const struct iteration *, const struct iteration_message *, uint32_t member);

/* Messages that a worker sends in a stage: own[0] up to, but not including, own[count], plus 'first'. */
struct iteration_own { const uint32_t *own; uint32_t count, first; };

struct iteration_own iteration_own(const struct iteration *, uint32_t stage, uint32_t worker);

/* Returns the bytes of all messages. */
double iteration_bytes(const struct iteration *);

/* Rejects too many messages or stages. Expects checked steps. The reason has no file position. */
int iteration_check(const struct iteration_cfg *, struct err *);

/* The two names of a kind: "all_to_all" and "expert". */
const char *iteration_kind_name(uint32_t kind, const char **group);

void iteration_init(struct iteration *, const struct iteration_cfg *);
void iteration_fini(struct iteration *);

/* Returns the maximum number of concurrent messages. A worker has messages of one stage only, plus those
 * of overlapped steps. Within a stage, each message waits for its predecessor, except those that start
 * together. */
uint64_t iteration_flows(const struct iteration_cfg *);

/* Returns a lower bound of the iteration time: computing plus link time of the slowest worker, or the larger
 * of the two where they overlap. Includes the time to fill a pipeline. rate_bps is indexed by worker; NULL:
 * links take no time. */
uint64_t iteration_bound_ps(const struct iteration_cfg *, uint32_t mtu_bytes, uint32_t overhead_bytes,
                            const uint64_t *rate_bps);

#endif
