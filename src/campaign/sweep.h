/* src/campaign/sweep.h - what many settings of a scenario have given, and which is best. */
#ifndef CAMPAIGN_SWEEP_H
#define CAMPAIGN_SWEEP_H

#include "campaign/compare.h"
#include "campaign/figures.h"
#include "campaign/plan.h"
#include "campaign/sweep_points.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct sweep_results {
    const struct variants *variants;
    const uint64_t        *seed;
    uint32_t               seeds;
    struct figures         figures;
    uint32_t               best;             /* the figure to sort by */
    uint32_t              *order;            /* variants that were run; after sweep_rank() best first */
    uint32_t               count;
};

/* Sorts by the best figure: low ones first, unless high ones are better. What has none comes last, and what
 * is equal stays in the order of the variants. */
void sweep_rank(struct sweep_results *);
void sweep_fini(struct sweep_results *);

struct sweep_request {
    struct campaign_request common;      /* one path, no variants with names */
    struct range            range[RANGES_MAX];
    uint32_t                ranges, samples;
    enum sweep_method       method;
    uint64_t                sample_seed;
    const char             *best;        /* figure; NULL: the default */
};

#define REPORTED_SETTINGS 8      /* the best, on the page and in the comparison */

struct sweep {
    const struct sweep_request *request;
    struct axis                *points;          /* of the ranges */
    uint32_t                    point_axes;
    struct plan                 plan;
    struct sweep_results        results;
    uint32_t                    baseline;        /* the scenario's own setting, last of the variants */
    struct knobs                own;             /* of that setting */
    struct variants             few;             /* the scenario's own setting and the best, */
    struct comparison           comparison;      /* held against each other */
    char                       *title;
};

/* Runs all settings, ranks them, writes what lies in the folder of --out. Workers, signals and closing are as for
 * compare_run(). */
int  sweep_run(struct sweep *, const struct sweep_request *, struct err *);
void sweep_close(struct sweep *);

/* ---- sweep_print.c ---- */

void sweep_print_table(const struct sweep *, FILE *, uint32_t top, bool has_colour);

/* One line a setting, best first: rank, values, means of all figures. */
void sweep_print_csv(const struct sweep_results *, FILE *);

/* One line a run, in the order of the settings: values, seed, all figures. */
void sweep_print_runs(const struct sweep_results *, FILE *);
void sweep_print_json(const struct sweep *, FILE *);

/* The answer card: the best setting that is clearly better than the scenario's own, or that none is. To be closed. */
void sweep_answer(const struct sweep *, struct card *);

/* What was set, as numbers: one column a key, in one unit that its name tells. */
struct sweep_column {
    char key[128];               /* "kmin" */
    char name[160];              /* "kmin_kb": with the unit; a text has none */
    char unit[16];               /* "kb", "us", "bps", "bytes", ""; */
    bool is_number;
};

/* Column 'i' of the settings; a number if all of its values are, and of one kind. */
void sweep_column(const struct sweep_results *, uint32_t i, struct sweep_column *);

/* All settings with their figures, for the page (interface Sweep of data.ts). */
json_t *sweep_page(const struct sweep *);

#endif
