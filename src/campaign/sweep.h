/* src/campaign/sweep.h - what many settings of a scenario have given, and which is best. */
#ifndef CAMPAIGN_SWEEP_H
#define CAMPAIGN_SWEEP_H

#include "campaign/campaign.h"
#include "campaign/compare_variants.h"
#include "report/metrics.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct sweep_figure {
    struct metric metric;        /* its value means nothing */
    bool          is_shown;      /* in the table; files have all */
    double       *value;         /* [variant * seeds + seed]; NAN: there is none */
};

struct sweep_results {
    const struct variants *variants;
    const uint64_t        *seed;
    uint32_t               seeds;
    struct sweep_figure   *figure;
    uint32_t               figures, best;    /* best: the figure to sort by */
    uint32_t              *order;            /* variants that were run; after sweep_rank() best first */
    uint32_t               count;
};

/* ---- sweep_figures.c ---- */

/* Adds the figures that are not there yet. */
void sweep_add_metrics(struct sweep_results *, const struct metric *, uint32_t count);

/* Reads all figures of all runs that are in the store. */
int sweep_load(struct sweep_results *, struct campaign *, struct err *);

/* Over the seeds that have a value; NAN if none has. */
double sweep_mean(const struct sweep_results *, const struct sweep_figure *, uint32_t variant);

/* Sorts by the best figure: low ones first, unless high ones are better. What has none comes last, and what
 * is equal stays in the order of the variants. */
void sweep_rank(struct sweep_results *);
void sweep_fini(struct sweep_results *);

/* ---- sweep_print.c ---- */

/* What a variant sets itself: key and value number 'i' of it. */
const char *sweep_value(const struct variant *, uint32_t i);
void sweep_print_key(FILE *, const struct variant *, uint32_t i);

void sweep_print_table(const struct sweep_results *, FILE *, uint32_t top);

/* One line a setting, best first: rank, values, means of all figures. */
void sweep_print_csv(const struct sweep_results *, FILE *);

/* One line a run, in the order of the settings: values, seed, all figures. */
void sweep_print_runs(const struct sweep_results *, FILE *);
void sweep_print_json(const struct sweep_results *, FILE *);

#endif
