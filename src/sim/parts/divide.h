/* src/sim/parts/divide.h - assigns nodes to parts. The nodes of a rack stay together, and so do nodes with
 * very short links between them: a part may only be ahead of another by the delay of a link between them.
 */
#ifndef SIM_PARTS_DIVIDE_H
#define SIM_PARTS_DIVIDE_H

#include "sim/state/state.h"

/* Returns the number of parts: one per thread, if there are enough racks. */
uint32_t divide_count(const struct sim *, uint32_t threads);

/* Returns an upper limit for divide_count(), for any network. */
uint32_t divide_most(const struct sim *, uint32_t threads);

/* Returns the minimum time in which a frame crosses a link. */
uint64_t divide_least_ps(const struct sim *, const struct port *);

/* Sets the part of every node, also in the traffic. */
void divide_world(struct sim *, uint32_t count);

/* ---- results and counters of all parts, collected between runs ---- */

struct part_result;

struct gathered {                /* results of one part */
    struct sim         *sim;
    struct part_result *result;  /* results to report, in event order */
    uint32_t            results, results_max;
};

/* Starts to collect results for 'hooks'. */
void gather_begin(struct gathered *, struct sim *part, const struct sim_hooks *hooks);
void gather_free(struct gathered *);

/* Reports the results of all parts, in event order. */
void gather_report(struct gathered **, uint32_t count, const struct sim_hooks *);

/* Adds the counters of all parts. */
void gather_sums(struct sim *whole, struct gathered **, uint32_t count);

#endif
