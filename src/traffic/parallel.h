/* src/traffic/parallel.h - how the workers of a training job are divided into groups.
 *
 * Workers stand in a box: tensor places, data rows, pipeline stages. Worker i is at
 *
 *     tensor    i mod tensor
 *     data      i / tensor mod data
 *     pipeline  i / (tensor x data)
 *
 * which is Megatron-LM's order (tp, dp, pp): the workers of a tensor group stand together, pipeline stages furthest apart. A
 * tensor, data or pipeline group is a line of the box in that direction. Experts divide a data group into groups of
 * 'expert' neighbours; those at the same place in each of them are an expert_data group, which holds the same experts.
 */
#ifndef TRAFFIC_PARALLEL_H
#define TRAFFIC_PARALLEL_H

#include "base/err.h"

#include <stdint.h>

enum parallel_group {
    PARALLEL_ALL, PARALLEL_TENSOR, PARALLEL_DATA, PARALLEL_PIPELINE, PARALLEL_EXPERT, PARALLEL_EXPERT_DATA,
    PARALLEL_GROUPS,
};

extern const char *const parallel_names[];       /* by group; ends with NULL */

struct parallel { uint32_t workers, tensor, data, pipeline, expert; };

/* Works out 'data' from the rest. Refuses what does not come out even. The reason has no place in front. */
int parallel_check(struct parallel *, struct err *);

/* How many workers a group of that kind has, and how many groups there are. */
uint32_t parallel_size(const struct parallel *, enum parallel_group);
uint32_t parallel_count(const struct parallel *, enum parallel_group);

/* Member 'member' of group 'group' of that kind. */
uint32_t parallel_worker(const struct parallel *, enum parallel_group, uint32_t group, uint32_t member);

#endif
