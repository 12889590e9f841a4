/* src/study/campaign/compare.h - compares variants of a scenario by their figures. */
#ifndef STUDY_CAMPAIGN_COMPARE_H
#define STUDY_CAMPAIGN_COMPARE_H

#include "study/campaign/campaign.h"
#include "study/campaign/campaign_figures.h"
#include "study/campaign/campaign_runs.h"
#include "study/campaign/variants.h"
#include "core/tuning_goal.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define COMPARE_SEEDS_TRUSTED 5          /* with fewer, intervals are unreliable */

/* One figure of one variant; NAN: no value. */
struct compared_cell {
    uint32_t seeds;                      /* pairs: with a value here and at the baseline */
    double   mean, low, high;            /* over all seeds with a value; 95 % interval */
    double   difference, difference_low, difference_high;    /* mean over pairs, minus baseline */
    /* relative to the baseline's mean; or the geometric mean of the pairs' ratios, minus 1: of slowdowns, and
     * of figures that differ so much between seeds that the interval would hold -1, which none can reach */
    double   change, change_low, change_high;
    double   p;                          /* of a paired t test */
    bool     is_significant;             /* the interval excludes 0, and the false discovery rate holds */
    bool     is_better;                  /* significant and better */
};

struct comparison {
    const struct variants *variants;
    uint32_t               baseline;
    const uint64_t        *seed;
    uint32_t               seeds;
    uint32_t               counted;      /* seeds that count: 1 if all gave the same runs. comparison_judge() */
    const char            *title;        /* names of the scenario files */
    struct goal            goal;         /* decides, if there is one */
    bool                   has_goal;
    struct figures         figures;
    struct compared_cell  *cell;         /* [figure * variants + variant]; NULL: not judged */
    uint32_t               tested;       /* cells in the false discovery rate */
    int                    argc;         /* command line, for the next command on the card; 0: unknown */
    char *const           *argv;
};

static inline struct compared_cell *comparison_cell(const struct comparison *c, uint32_t figure,
                                                    uint32_t variant)
{
    return &c->cell[(uint64_t)figure * c->variants->count + variant];
}

/* ---- compare_stats.c ---- */

/* Adds those figures of a variant that are missing. */
void comparison_add_metrics(struct comparison *, const struct metric *, uint32_t count);

/* Loads the figures of all runs, which must be stored. */
int comparison_load(struct comparison *, struct campaign *, struct err *);

/* Computes the cells from the values. */
void comparison_judge(struct comparison *);

/* Returns true if the variant has the baseline's flows. Others get no verdict. */
bool comparison_is_pair(const struct comparison *, uint32_t variant);

void comparison_fini(struct comparison *);

/* ---- the goal ---- */

#define COMPARE_GOAL "goal"              /* the figure of a goal: the lower the better */

/* Adds the figure of the goal, which is shown. */
void comparison_add_goal(struct comparison *);

/* Computes it from the figures that were loaded. */
void comparison_fill_goal(struct comparison *);

/* Returns true if on average a variant slows a class of messages or a job, or lowers the rate of storage or
 * rpc, beyond the bounds of the goal. */
bool comparison_breaks_bound(const struct comparison *, uint32_t variant);

/* The index of the figure; UINT32_MAX: there is no goal. */
uint32_t comparison_goal_figure(const struct comparison *);

/* ---- compare_print.c ---- */

void comparison_print_table(const struct comparison *, FILE *, bool has_colour);

/* One variant next to the baseline: all of them would fit no terminal. The baseline: alone. */
void comparison_print_variant(const struct comparison *, uint32_t variant, FILE *, bool has_colour);
void comparison_print_csv(const struct comparison *, FILE *, bool all);
/* NULL: its own */
void comparison_print_json(const struct comparison *, FILE *, bool all, const struct card *answer);

/* Prints a warning if there are too few seeds. */
void compare_warn_few_seeds(uint32_t seeds, uint32_t counted, FILE *);

/* runs.csv: one line per run, one column per figure. */
void comparison_print_runs(const struct comparison *, FILE *);

/* Interface Comparison of web/src/data.ts, and the differences. */
json_t *comparison_json(const struct comparison *, bool all, const struct card *answer);

/* ---- compare_answer.c ---- */

/* Fills the answer card and returns it: which variant to use, from the deciding figures. */
struct card *comparison_answer(const struct comparison *, struct card *);

/* Add to a card: cost and certainty of a variant; network and traffic of the baseline, and of others that
 * differ. */
void comparison_add_evidence(const struct comparison *, struct card *, uint32_t variant);
void comparison_add_about(const struct comparison *, struct card *);

/* Adds the next command: the same command line with ten seeds, or twice as many as it had. */
void comparison_add_more_seeds(const struct comparison *, struct card *, const char *why);

/* Finds the deciding figure that is worse by the most and whose interval excludes no change, also if many
 * comparisons keep it from being clear. UINT32_MAX: none. */
uint32_t comparison_harm(const struct comparison *, uint32_t variant);

/* Adds "p99 slowdown -38 % (95 % interval -50 to -20 %)". */
void comparison_add_change(const struct comparison *, struct card *, enum card_field, uint32_t figure,
                           uint32_t variant);

/* Writes the figures that decide, most important first, and returns their number. */
#define COMPARE_DECIDING METRICS_DECIDING
uint32_t comparison_deciding(const struct comparison *, uint32_t figure[COMPARE_DECIDING]);

/* Summarizes a variant: "expert is better in p99 slowdown -38 %; worse in mean RTT +35 %." Names at most
 * three figures of each kind. Returns buf. */
char *comparison_verdict(char *buf, size_t size, const struct comparison *, uint32_t variant);

/* ---- compare_page.c ---- */

/* Merges the runs of a variant, one per seed, into one Run of data.ts. Distributions pool the flows of all
 * seeds; figures and quantiles by size are means; series and network are those of the first seed. */
json_t *compare_merge_runs(const json_t *runs);

/* Of a sweep: all settings (interface Sweep of data.ts; ownership is transferred), and its card. */
struct comparison_extra { json_t *sweep; const struct card *answer; };

/* Writes report.html, comparison.csv and comparison.json. 'extra' may be NULL. */
int comparison_write(const struct comparison *, struct campaign *, const struct comparison_extra *,
                     struct outdir *, struct err *);

/* ---- compare.c ---- */

struct compare_request {
    struct campaign_request common;
    const char             *baseline;    /* a variant; NULL: the first */
    const char             *goal;        /* NULL: the baseline's, if its scenario names one */
};

struct compare {
    const struct compare_request *request;
    struct plan                   plan;
    struct comparison             comparison;
    char                         *title;
};

/* Runs and judges all variants and writes the folder of --out. In a worker (executor.h), executes jobs of
 * rank 0. Returns a signal's number if one arrived; err says how far it got. Close it also on failure. */
int  compare_run(struct compare *, const struct compare_request *, struct err *);
void compare_close(struct compare *);

#endif
