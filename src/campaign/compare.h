/* src/campaign/compare.h - variants of a scenario, told apart by their figures. */
#ifndef CAMPAIGN_COMPARE_H
#define CAMPAIGN_COMPARE_H

#include "campaign/campaign.h"
#include "campaign/figures.h"
#include "campaign/plan.h"
#include "campaign/variants.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define COMPARE_SEEDS_TRUSTED 5          /* with fewer, intervals say little */

/* One figure of one variant. NAN where there is none. */
struct compared_cell {
    uint32_t seeds;                      /* with a value here and at the baseline: pairs */
    double   mean, low, high;            /* over all seeds that have a value; 95 % interval */
    double   difference, difference_low, difference_high;    /* mean over pairs of this minus baseline */
    double   change, change_low, change_high;    /* the same as a share of the baseline's mean over these pairs; of slowdowns their
                                                    mean ratio over pairs, by logarithms, less 1 */
    bool     is_significant;             /* the interval of the difference, of slowdowns that of the ratio, does not hold no change */
    bool     is_better;                  /* and that is good */
};

struct comparison {
    const struct variants *variants;
    uint32_t               baseline;
    const uint64_t        *seed;
    uint32_t               seeds;
    const char            *title;        /* names of the scenarios' files */
    struct figures         figures;
    struct compared_cell  *cell;         /* [figure * variants + variant]; NULL: not judged */
};

static inline struct compared_cell *comparison_cell(const struct comparison *c, uint32_t figure, uint32_t variant)
{
    return &c->cell[(uint64_t)figure * c->variants->count + variant];
}

/* ---- compare_stats.c ---- */

/* Adds the figures of a variant that no variant before it had. */
void comparison_add_metrics(struct comparison *, const struct metric *, uint32_t count);

/* Reads the figures of all runs, which must be there. */
int comparison_load(struct comparison *, struct campaign *, struct err *);

/* Makes the cells from the values. */
void comparison_judge(struct comparison *);
void comparison_fini(struct comparison *);

/* ---- compare_print.c ---- */

void comparison_print_table(const struct comparison *, FILE *, bool has_colour);
void comparison_print_csv(const struct comparison *, FILE *, bool all);
void comparison_print_json(const struct comparison *, FILE *, bool all);

/* One line if there are too few to tell a difference from chance. */
void compare_warn_few_seeds(uint32_t seeds, FILE *);

/* What a variant is worth, in one sentence: "expert is better in p99 slowdown -38 %; it costs mean RTT +35 %."
 * Figures that are shown, in their order, three of each kind at most. Returns buf. */
char *comparison_verdict(char *buf, size_t size, const struct comparison *, uint32_t variant);

/* runs.csv: one line a run, one column a figure. */
void comparison_print_runs(const struct comparison *, FILE *);

/* Interface Comparison of web/src/data.ts, and the differences. */
json_t *comparison_json(const struct comparison *, bool all);

/* ---- compare_page.c ---- */

/* One Run of data.ts over several of one variant, one a seed: shares of sizes weighted by flows, quantiles
 * and figures averaged, what is drawn over time or over the network that of the first. 'runs' is a list;
 * new. */
json_t *compare_merge_runs(const json_t *runs);

/* The whole page. NULL and err on failure. */
json_t *comparison_page(const struct comparison *, struct campaign *, struct err *);

/* report.html, comparison.csv and comparison.json. 'sweep' is of the settings that these were chosen from, and becomes
 * part of the page, which takes it; NULL: there are no others. */
int comparison_write(const struct comparison *, struct campaign *, json_t *sweep, struct outdir *, struct err *);

/* ---- compare.c ---- */

struct compare_request {
    struct campaign_request common;
    const char             *baseline;    /* name of a variant; NULL: the first */
};

struct compare {
    const struct compare_request *request;
    struct plan                   plan;
    struct comparison             comparison;
    char                         *title;
};

/* Runs all, judges, writes what lies in the folder of --out. In a worker (executor.h) it does what rank 0 says, and
 * has nothing to tell. A signal's number if one came; err says how far it was. To be closed in any case. */
int  compare_run(struct compare *, const struct compare_request *, struct err *);
void compare_close(struct compare *);

#endif
