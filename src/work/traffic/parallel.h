/* src/work/traffic/parallel.h - the groups of workers in a training job.
 *
 * Workers form a box with the axes tensor, data and pipeline. Worker i has the coordinates
 *
 *     tensor    i mod tensor
 *     data      i / tensor mod data
 *     pipeline  i / (tensor x data)
 *
 * This is Megatron-LM's order (tp, dp, pp): the workers of a tensor group are consecutive, pipeline stages
 * furthest apart. A tensor, data or pipeline group is a line of the box along that axis. Experts divide a
 * data group into groups of 'expert' neighbors. The workers with the same index in each of these form an
 * expert_data group, which holds the same experts. A context group has 'context' neighbors of a data group,
 * which share the tokens of a sequence.
 */
#ifndef WORK_TRAFFIC_PARALLEL_H
#define WORK_TRAFFIC_PARALLEL_H

#include "base/err.h"

#include <stdint.h>

enum parallel_group {
    PARALLEL_ALL, PARALLEL_TENSOR, PARALLEL_DATA, PARALLEL_PIPELINE, PARALLEL_EXPERT, PARALLEL_EXPERT_DATA,
    PARALLEL_CONTEXT, PARALLEL_GROUPS,
};

extern const char *const parallel_names[];       /* by group; NULL-terminated */

struct parallel { uint32_t workers, tensor, data, pipeline, expert, context; };  /* context: 0 means 1 */

/* Computes 'data' from the other sizes. Returns an error if they do not divide evenly. The reason has no file
 * position. */
int parallel_check(struct parallel *, struct err *);

/* Returns the number of workers per group of that kind; the number of such groups. */
uint32_t parallel_size(const struct parallel *, enum parallel_group);
uint32_t parallel_count(const struct parallel *, enum parallel_group);

/* Returns member 'member' of group 'group' of that kind. */
uint32_t parallel_worker(const struct parallel *, enum parallel_group, uint32_t group, uint32_t member);

/* Returns a worker's group of that kind, and which member of it the worker is. */
struct parallel_place { uint32_t group, member; };

struct parallel_place parallel_place(const struct parallel *, enum parallel_group, uint32_t worker);

#endif
