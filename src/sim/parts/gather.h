/* src/sim/parts/gather.h - collects the results and counters of all parts between runs. */
#ifndef SIM_PARTS_GATHER_H
#define SIM_PARTS_GATHER_H

#include "sim/state/state.h"

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
