/* src/cmd/cluster/collective_steps.h - the steps of a collective: when each ran, and which message held it
 * back.
 *
 * The step of a message is the length of the longest chain of messages that it waits for, from 1. A step
 * lasts from the start of its first message to the last acknowledgement of its last one. Steps overlap where
 * chunks are forwarded as soon as they arrive.
 */
#ifndef CMD_CLUSTER_COLLECTIVE_STEPS_H
#define CMD_CLUSTER_COLLECTIVE_STEPS_H

#include "core/result.h"
#include "traffic/collective.h"

#include <stdbool.h>
#include <stdint.h>

#define TIMELINE_ROWS 3                  /* of the short form */

struct timeline_step {
    uint32_t           messages;
    uint64_t           start_ps, end_ps;
    struct flow_result last;             /* the message that ends last */
};

struct timeline {
    uint32_t             *step_of;       /* by message: from 0 */
    bool                 *is_done;       /* by message: of later iterations only the first counts */
    struct timeline_step *step;
    uint32_t              messages, steps;
};

/* Neighbouring steps in one row. 'slowest' is the step whose end is furthest behind the end of the one
 * before. */
struct timeline_row { uint32_t first, last, slowest; };

void timeline_init(struct timeline *, const struct collective *);
void timeline_fini(struct timeline *);

/* A message has ended. */
void timeline_on_flow(struct timeline *, const struct flow_result *);

/* Divides the steps into rows of about equal length in time. Returns how many. */
uint32_t timeline_rows(const struct timeline *, struct timeline_row row[TIMELINE_ROWS]);

#endif
